// GatherOrZero: the gradient of UnsortedSegmentSum.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/gather.h"
#include "kernels/move.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& params = ctx.shape(0);
  if (params.rank() == 0) ctx.fail("params must be at least a vector");
  if (!params.has_rank() || !ctx.shape(1).has_rank()) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  Shape shape = ctx.shape(1);
  for (int i = 1; i < params.rank(); ++i) shape.append(params[i]);
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& params = ctx.inputs[0];
  const View& indices = ctx.inputs[1];
  const auto bad = kernels::find_bad_index(indices, INT64_MIN, params.shape[0]);
  if (bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  const kernels::AxisParts parts = kernels::parts_at(params.shape, 0);
  const auto size = static_cast<int64_t>(dtype_size(params.dtype));
  kernels::gather({1, 1, parts.size, indices.size(), parts.inner * size}, params, indices,
                  ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const Tensor rows = Tensor::scalar(DType::kInt64, static_cast<double>(g.input(0).dim(0)));
  return {unsorted_segment_sum(g.dy(), g.input(1), rows), {}};
}

std::vector<Sample> samples() {
  const SampleInput ids = ints({2, -1, 0, 2});
  std::vector<Sample> samples = {
      {{f32({3, 2}), ids}},
      {{f32({3}), given(DType::kInt64, {2, 2}, {2, -1, 0, 2})}},
      {{f32({0, 2}), ints({-1})}},
      {{f32({2, 2}), given(DType::kInt32, {}, {1})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kUInt8, DType::kBool,
                      DType::kComplex128}) {
    samples.push_back({{of(dtype, {3, 2}), ids}});
  }
  samples.push_back({{f32({1024, 64}), i32({4096}, -1, 1024)}, {}, 0, true, true});
  return samples;
}

}  // namespace

PEN_OP_DEF(gather_or_zero) = {
    .name = "GatherOrZero",
    .doc = "The rows of `params` at `indices`, and zeros where an index is negative.",
    .inputs = {in("params", kFixedTypes), in("indices", kIndexTypes, 'I')},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 1 << 1},
    .samples = samples,
};

}  // namespace penstock
