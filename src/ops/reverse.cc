// ReverseV2: reverses the given axes.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  if (axes.empty()) return ctx.share_output(shape);
  if (shape.has_rank()) ctx.axes(axes, shape.rank());
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (in.size() == 0) return KernelResult::ok();
  const int rank = in.shape.rank();
  const auto strides = row_major_strides(in.shape);
  bool reversed[kMaxRank] = {};
  for (int64_t axis : ctx.attrs[0].as_ints()) reversed[axis < 0 ? axis + rank : axis] = true;
  kernels::Move box;
  for (int i = 0; i < rank; ++i) {
    const int64_t stride = strides[static_cast<size_t>(i)];
    box.add(in.shape[i], reversed[i] ? -stride : stride, stride);
    if (reversed[i]) box.from_start += (in.shape[i] - 1) * stride;
  }
  kernels::move(box, in.data, ctx.outputs[0].data, dtype_size(in.dtype));
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) { return {reverse(g.dy(), g.attr(0).as_ints())}; }

std::vector<Sample> samples() {
  using Axes = std::vector<int64_t>;
  return {
      {{f32({4})}, {{"axis", Axes{0}}}},
      {{f32({2, 3, 4})}, {{"axis", Axes{1}}}},
      {{f32({2, 3, 4})}, {{"axis", Axes{-1, 0}}}},
      {{f32({2, 3})}, {{"axis", Axes{}}}},
      {{f32({0, 3})}, {{"axis", Axes{1}}}},
      {{of(DType::kFloat64, {3, 2})}, {{"axis", Axes{0, 1}}}},
      {{of(DType::kBFloat16, {5})}, {{"axis", Axes{0}}}},
      {{of(DType::kInt64, {3, 2})}, {{"axis", Axes{0}}}},
      {{of(DType::kUInt8, {3, 2})}, {{"axis", Axes{-1}}}},
      {{of(DType::kBool, {3})}, {{"axis", Axes{0}}}},
      {{of(DType::kComplex128, {3})}, {{"axis", Axes{0}}}},
      {{of(DType::kString, {3, 2})}, {{"axis", Axes{1}}}},
      {{f32({512, 512})}, {{"axis", Axes{1}}}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(reverse) = {
    .name = "ReverseV2",
    .doc = "A tensor the other way round along the given axes.",
    .inputs = {in("tensor", kAnyType)},
    .attrs = {ints_attr("axis")},
    .traits = {Trait::kMoves, Trait::kInvolution},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "axis"}}},
};

}  // namespace penstock
