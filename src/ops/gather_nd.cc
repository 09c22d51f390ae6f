// GatherNd: rows of a tensor, each named by coordinates.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/gather.h"
#include "kernels/move.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& params = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  if (indices.rank() == 0) ctx.fail("indices must be at least a vector");
  if (!params.has_rank() || !indices.has_rank() || indices[indices.rank() - 1] == kUnknownDim) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  const int last = indices.rank() - 1;
  const int64_t depth = indices[last];
  if (depth > params.rank()) {
    ctx.fail("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ",
             params.rank());
  }
  Shape shape = indices;
  shape.remove(last);
  for (int i = static_cast<int>(depth); i < params.rank(); ++i) shape.append(params[i]);
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& params = ctx.inputs[0];
  const auto rows = kernels::Coordinates::into(params.shape, ctx.inputs[1]);
  if (const auto bad = rows.find_bad(); bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  const int64_t width = kernels::product(params.shape, rows.depth, params.shape.rank());
  kernels::gather_rows(rows, params, ctx.outputs[0],
                       width * static_cast<int64_t>(dtype_size(params.dtype)));
  return KernelResult::ok();
}

// Rows of the leading axis stay rows; anything finer is scattered.
Gradients grad(const GradContext& g) {
  const Tensor& indices = g.input(1);
  const Shape& whole = g.input(0).shape();
  if (indices.dim(-1) == 1) {
    const int64_t count = indices.num_elements();
    Shape rows = whole;
    rows.set(0, count);
    return {Gradient::sparse(reshape(g.dy(), shape_tensor(rows)),
                             reshape(indices, shape_tensor(Shape{count})), whole),
            {}};
  }
  return {scatter_nd(indices, g.dy(), shape_tensor(whole)), {}};
}

SampleInput pairs(DType dtype, std::vector<double> values) {
  const auto rows = static_cast<int64_t>(values.size()) / 2;
  return given(dtype, {rows, 2}, std::move(values));
}

std::vector<Sample> samples() {
  return {
      {{f32({3, 4}), pairs(DType::kInt32, {0, 1, 2, 3, 0, 1})}},
      {{f32({3, 4}), given(DType::kInt32, {2, 1}, {2, 0})}},
      {{f32({2, 3, 2}), given(DType::kInt64, {1, 2, 2}, {1, 2, 0, 0})}},
      {{f32({2, 3}), i32({2, 0})}},
      {{f32({3}), i32({0, 1})}},
      {{f32({3, 0}), ints({1})}},
      {{of(DType::kFloat64, {3}), given(DType::kInt32, {3, 1}, {2, 2, 0})}},
      {{of(DType::kFloat16, {3, 2}), pairs(DType::kInt32, {1, 1})}},
      {{of(DType::kInt64, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{of(DType::kBool, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{of(DType::kComplex64, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{of(DType::kString, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{f32({1024, 64}), i32({4096, 1}, 0, 1024)}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(gather_nd) = {
    .name = "GatherNd",
    .doc = "The parts of `params` at `indices`, whose last axis holds coordinates.",
    .inputs = {in("params", kAnyType), in("indices", kIndexTypes, 'I')},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 1 << 1},
    .samples = samples,
};

}  // namespace penstock
