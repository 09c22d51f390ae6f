// Softmax and LogSoftmax over the last axis.
#include <limits>

#include <penstock/ops/compose.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/rows.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (shape.rank() == 0) ctx.fail("logits must have at least 1 dimension, but got shape ", shape);
  if (shape.is_known()) {
    ctx.set_scratch(kernels::row_scratch(ctx.dtype(0), kernels::rows_of(shape), 1), sizeof(float));
  }
  ctx.add_output(ctx.dtype(0), shape);
}

template <bool kAsLog>
KernelResult cpu(const KernelContext& ctx) {
  kernels::softmax(ctx.inputs[0], kAsLog, ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}

Gradients grad_softmax(const GradContext& g) {
  const Tensor& y = g.output();
  const Tensor dy = g.dy();
  return {(dy - reduce_sum(dy * y, {-1}, true)) * y};
}

Gradients grad_log_softmax(const GradContext& g) {
  const Tensor dy = g.dy();
  return {dy - exp(g.output()) * reduce_sum(dy, {-1}, true)};
}

// `axis` takes the last one's place and goes back.
template <Tensor (*softmax_fn)(const Operand&)>
Tensors compose(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  if (x.rank() == 0) ctx.fail("logits must have at least 1 dimension, but got shape ", x.shape());
  const int last = x.rank() - 1;
  const int axis = ctx.axis(ctx.attr(0).as_int(), x.rank());
  if (axis == last) return {softmax_fn(x)};
  IntVector swap;
  for (int i = 0; i <= last; ++i) swap.push_back(i == axis ? last : i == last ? axis : i);
  const std::span<const int64_t> perm = swap;
  return {transpose(softmax_fn(transpose(x, perm)), perm)};
}

std::vector<Sample> axis_samples() {
  return {
      {{f32({3, 4})}, {{"axis", 0}}},
      {{of(DType::kFloat64, {2, 3, 4})}, {{"axis", -2}}},
      {{f32({5})}, {{"axis", 0}}},
      {{f32({2, 3})}},
      {{f32({0, 3})}, {{"axis", 0}}},
      {{of(DType::kBFloat16, {3, 2})}, {{"axis", 0}}},
      {.inputs = {f32({1000, 1024})}, .attrs = {{"axis", 0}}, .for_speed = true},
  };
}

std::vector<Sample> samples() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {{f32({5})}},
      {{f32({3, 4})}},
      {{f32({2, 3, 7})}},
      {{f32({2, 37}, -30, 30)}},
      {{f32({4, 1})}},
      {{f32({0, 3})}},
      {{f32({3, 0})}},
      {{given(DType::kFloat32, {2, 3}, {1000, 1001, 999, -1000, -1001, -5000})}, {}, 0, false},
      {{given(DType::kFloat32, {4, 2}, {-inf, 1, inf, 1, nan, 1, -inf, -inf})}, {}, 0, false},
      {{of(DType::kFloat64, {3, 19})}},
      {{of(DType::kFloat16, {3, 5})}},
      {{of(DType::kBFloat16, {3, 5})}},
      {.inputs = {f32({1024, 1000})}, .for_speed = true},
  };
}

// The last axis is softmax's own: another one is swapped with it, and back.
LateName late_softmax(const GraphCall& call) {
  const int64_t axis = call.attr("axis").as_int();
  if (call.is_last(axis)) return {};
  if (axis >= 0)
    return {"", "Rank Rank Sub Sub range range range range concat concat transpose", "transpose"};
  return {"", "Rank Rank add add add mod Sub Sub range range range range concat concat transpose",
          "transpose"};
}

}  // namespace

PEN_OP_DEF(softmax) = {
    .name = "Softmax",
    .doc = "exp(logits) over the sum of exp(logits) along the last axis.",
    .inputs = {in("logits", kRealFloatTypes)},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu<false>,
    .grad = grad_softmax,
    .saves = {.outputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(log_softmax) = {
    .name = "LogSoftmax",
    .doc = "logits less the logarithm of the sum of exp(logits) along the last axis.",
    .inputs = {in("logits", kRealFloatTypes)},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu<true>,
    .grad = grad_log_softmax,
    .saves = {.outputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(softmax_v2) = {
    .name = "SoftmaxV2",
    .doc = "exp(logits) over the sum of exp(logits) along `axis`.",
    .inputs = {in("logits", kRealFloatTypes)},
    .attrs = {int_attr("axis", -1)},
    .infer = composed,
    .compose = compose<softmax>,
    .grad = composed_gradient,
    .samples = axis_samples,
    .graph_name = {.scope = "Softmax", .late = late_softmax},
};

PEN_OP_DEF(log_softmax_v2) = {
    .name = "LogSoftmaxV2",
    .doc = "logits less the logarithm of the sum of exp(logits) along `axis`.",
    .inputs = {in("logits", kRealFloatTypes)},
    .attrs = {int_attr("axis", -1)},
    .infer = composed,
    .compose = compose<log_softmax>,
    .grad = composed_gradient,
    .samples = axis_samples,
    .graph_name = {.scope = "LogSoftmax", .late = late_softmax},
};

}  // namespace penstock
