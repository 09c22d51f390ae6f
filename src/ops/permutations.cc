// InvertPermutation, UnravelIndex: positions as numbers and as coordinates.
#include <cstring>

#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"

namespace penstock {
namespace {

void put(const View& out, int64_t i, int64_t value) {
  if (out.dtype == DType::kInt32) {
    out.as<int32_t>()[i] = static_cast<int32_t>(value);
  } else {
    out.as<int64_t>()[i] = value;
  }
}

void infer_invert(InferContext& ctx) {
  ctx.check_rank(0, 1);
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

KernelResult cpu_invert(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  const int64_t count = x.size();
  if (const auto bad = kernels::find_bad_index(x, 0, count); bad.at >= 0) {
    return KernelResult::invalid("{} is not between 0 and {}", bad.value, count);
  }
  for (int64_t i = 0; i < count; ++i) put(out, i, -1);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t to = kernels::index_at(x, i);
    if (kernels::index_at(out, to) != -1) {
      return KernelResult::invalid("{} is duplicated in the input.", to);
    }
    put(out, to, i);
  }
  return KernelResult::ok();
}

void infer_unravel(InferContext& ctx) {
  ctx.check_rank(1, 1);
  const Shape& indices = ctx.shape(0);
  if (!indices.has_rank() || !ctx.shape(1).has_rank()) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  if (indices.rank() > 1) {
    ctx.fail("The indices can only be scalar or vector got \"", indices, "\"");
  }
  Shape shape = {ctx.shape(1)[0]};
  if (indices.rank() == 1) shape.append(indices[0]);
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu_unravel(const KernelContext& ctx) {
  const View& indices = ctx.inputs[0];
  const View& dims = ctx.inputs[1];
  const int64_t rank = dims.size();
  const int64_t count = indices.size();
  int64_t total = 1;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t dim = kernels::index_at(dims, i);
    if (dim <= 0) return KernelResult::invalid("Input dims cannot contain a dim of {}", dim);
    if (!checked_mul(total, dim, &total)) {
      return KernelResult::invalid("Input dims product is causing integer overflow");
    }
  }
  if (const auto bad = kernels::find_bad_index(indices, 0, total); bad.at >= 0) {
    return KernelResult::invalid("index is out of bound as with dims: {} is not below {}",
                                 bad.value, total);
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = kernels::index_at(indices, i);
    for (int64_t k = rank - 1; k >= 0; --k) {
      const int64_t dim = kernels::index_at(dims, k);
      put(ctx.outputs[0], k * count + i, rest % dim);
      rest /= dim;
    }
  }
  return KernelResult::ok();
}

std::vector<Sample> invert_samples() {
  return {
      {{ints({3, 4, 0, 2, 1})}},
      {{given(DType::kInt64, {3}, {2, 0, 1})}},
      {{i32({0})}},
  };
}

std::vector<Sample> unravel_samples() {
  return {
      {{ints({2, 5, 7}), ints({3, 3})}},
      {{given(DType::kInt64, {}, {22}), given(DType::kInt64, {3}, {2, 3, 4})}},
      {{i32({0}), ints({3, 3})}},
  };
}

}  // namespace

PEN_OP_DEF(invert_permutation) = {
    .name = "InvertPermutation",
    .doc = "y with y[x[i]] = i, for a permutation x of the numbers from 0 on.",
    .inputs = {in("x", kIndexTypes)},
    .outputs = {"y"},
    .infer = infer_invert,
    .cpu = cpu_invert,
    .grad = no_gradient,
    .samples = invert_samples,
};

PEN_OP_DEF(unravel_index) = {
    .name = "UnravelIndex",
    .doc = "The coordinates, a column each, of flat indices into a tensor of the given dims.",
    .inputs = {in("indices", kIndexTypes), in("dims", kIndexTypes)},
    .infer = infer_unravel,
    .cpu = cpu_unravel,
    .grad = no_gradient,
    .samples = unravel_samples,
};

}  // namespace penstock
