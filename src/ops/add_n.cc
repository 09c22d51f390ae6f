// AddN and AccumulateN: the sum of any number of tensors of one shape.
#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>
#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

// All inputs have one shape, so what is known of any of them holds for it.
Shape common_shape(const InferContext& ctx) {
  Shape common = ctx.shape(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    const Shape& shape = ctx.shape(i);
    if (!common.has_rank()) common = shape;
    if (!shape.has_rank() || shape.rank() != common.rank()) continue;
    for (int axis = 0; axis < common.rank(); ++axis) {
      if (common[axis] == kUnknownDim) common.set(axis, shape[axis]);
    }
  }
  return common;
}

void infer(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.shape(i).is_known()) return ctx.add_output(ctx.dtype(0), common_shape(ctx));
  }
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.shape(i) != ctx.shape(0)) {
      ctx.fail("Inputs to operation AddN must have the same size and shape. Input 0: ",
               ctx.shape(0), " != input ", i, ": ", ctx.shape(i));
    }
  }
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

// Sums a piece in the cache before writing it: the output may coincide with any input.
void sum_piece(const KernelContext& ctx, kernels::BinaryLoop add, int64_t begin, int64_t count) {
  constexpr int64_t kMaxBytes = 8192;
  alignas(64) char sum[kMaxBytes];
  const auto width = static_cast<int64_t>(dtype_size(ctx.outputs[0].dtype));
  const auto at = [&](const View& view, int64_t i) { return view.as<char>() + i * width; };
  const int64_t piece = kMaxBytes / width;
  for (int64_t i = begin; i < begin + count; i += piece) {
    const int64_t n = std::min(piece, begin + count - i);
    std::memcpy(sum, at(ctx.inputs[0], i), static_cast<size_t>(n * width));
    for (const View& input : ctx.inputs.subspan(1)) add(sum, at(input, i), sum, n, 1, 1);
    std::memcpy(at(ctx.outputs[0], i), sum, static_cast<size_t>(n * width));
  }
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  const kernels::BinaryLoop add = kernels::binary_loop(kernels::BinaryOp::kAdd, out.dtype);
  parallel_for(out.size(), kernels::kGrain,
               [&](int64_t begin, int64_t end) { sum_piece(ctx, add, begin, end - begin); });
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  Gradients out;
  const Tensor dy = g.dy();
  for (size_t i = 0; i < g.num_inputs(); ++i) out.push_back(dy);
  return out;
}

Tensors compose_accumulate(const ComposeContext& ctx) { return {add_n(ctx.tensors_from(0))}; }

std::vector<Sample> samples() {
  std::vector<Sample> samples = {
      {{f32({2, 3})}},
      {{f32({2, 3}), f32({2, 3})}},
      {{f32({}), f32({}), f32({}), f32({})}},
      {{f32({0, 2}), f32({0, 2}), f32({0, 2})}},
  };
  for (const DType dtype :
       {DType::kBFloat16, DType::kFloat64, DType::kInt64, DType::kUInt8, DType::kComplex128}) {
    samples.push_back({{of(dtype, {7}, 0, 9), of(dtype, {7}, 0, 9), of(dtype, {7}, 0, 9)}});
  }
  samples.push_back({.inputs = {f32({1 << 18}), f32({1 << 18}), f32({1 << 18}), f32({1 << 18})},
                     .for_speed = true});
  return samples;
}

}  // namespace

PEN_OP_DEF(add_n) = {
    .name = "AddN",
    .doc = "The sum of tensors of one shape.",
    .inputs = {many("inputs", kNumberTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
};

PEN_OP_DEF(accumulate_n) = {
    .name = "AccumulateN",
    .doc = "The sum of tensors of one shape, as add_n.",
    .inputs = {many("inputs", kNumberTypes)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_accumulate,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"AddN"},
};

}  // namespace penstock
