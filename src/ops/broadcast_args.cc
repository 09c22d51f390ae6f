// BroadcastArgs: the shape that two shapes broadcast to, all three as tensors.
#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  ctx.check_rank(0, 1);
  ctx.check_rank(1, 1);
  const bool known = ctx.shape(0).is_known() && ctx.shape(1).is_known();
  const int64_t rank = known ? std::max(ctx.shape(0)[0], ctx.shape(1)[0]) : kUnknownDim;
  ctx.add_output(ctx.dtype(0), Shape{rank});
}

// Dimension `i` of `count`; missing leading dimensions are 1.
int64_t dim_at(const View& shape, int64_t i, int64_t count) {
  const int64_t at = i - (count - shape.size());
  return at < 0 ? 1 : kernels::index_at(shape, at);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  const int64_t rank = out.size();
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t a = dim_at(ctx.inputs[0], i, rank);
    const int64_t b = dim_at(ctx.inputs[1], i, rank);
    if (a != b && a != 1 && b != 1) {
      return KernelResult::invalid("Incompatible shapes: dimension {} is {} and {}", i, a, b);
    }
    const int64_t dim = a == 1 ? b : a;
    if (out.dtype == DType::kInt32) {
      out.as<int32_t>()[i] = static_cast<int32_t>(dim);
    } else {
      out.as<int64_t>()[i] = dim;
    }
  }
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  return {
      {{ints({2, 3}), ints({3})}},
      {{ints({4, 1, 3}), ints({5, 1})}},
      {{ints({}), ints({2})}},
      {{ints({}), ints({})}},
      {{ints({0, 1}), ints({1, 7})}},
      {{given(DType::kInt64, {2}, {2, 1}), given(DType::kInt64, {1}, {3})}},
  };
}

}  // namespace

PEN_OP_DEF(broadcast_dynamic_shape) = {
    .name = "BroadcastArgs",
    .doc = "The shape that tensors of the shapes s0 and s1 broadcast to.",
    .inputs = {in("s0", kIndexTypes), in("s1", kIndexTypes)},
    .outputs = {"r0"},
    .infer = infer,
    .cpu = cpu,
    .grad = no_gradient,
    .samples = samples,
};

}  // namespace penstock
