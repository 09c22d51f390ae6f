// Activation functions.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

Gradients tanh_grad(const GradContext& g) { return {g.dy() * (1 - square(conjugate(g.output())))}; }
Gradients sigmoid_grad(const GradContext& g) {
  const Tensor y = conjugate(g.output());
  return {g.dy() * ((1 - y) * y)};
}

// The output is positive exactly where the input is, so either serves.
Gradients relu_grad_of(const GradContext& g) { return {relu_grad(g.dy(), g.output())}; }

void infer_relu_grad(InferContext& ctx) {
  if (ctx.shape(0).is_known() && ctx.shape(1).is_known() && ctx.shape(0) != ctx.shape(1)) {
    ctx.fail("gradients and features must have the same shape: ", ctx.shape(0), " vs. ",
             ctx.shape(1));
  }
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}
Gradients relu_grad_grad(const GradContext& g) { return {relu_grad(g.dy(), g.input(1)), {}}; }

std::vector<Sample> with_special(std::vector<Sample> samples) {
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back(
        {.inputs = {given(dtype, {8}, {NAN, INFINITY, -INFINITY, 0, 90, -90, 1e-7, -1e30})},
         .check_grad = false});
  }
  return samples;
}
std::vector<Sample> smooth_samples() { return with_special(unary_samples(kFloatTypes, -3, 3)); }
std::vector<Sample> relu_samples() { return with_special(unary_samples(kRealTypes)); }
std::vector<Sample> relu_grad_samples() {
  std::vector<Sample> samples = {
      {{f32({2, 3}), f32({2, 3})}}, {{f32({0}), f32({0})}}, {{f32({}), f32({})}}};
  for (const DType dtype : {DType::kBFloat16, DType::kFloat64, DType::kInt32, DType::kUInt8}) {
    samples.push_back({{of(dtype, {3, 5}, 0, 9), of(dtype, {3, 5}, 0, 3)}});
  }
  samples.push_back({.inputs = {f32({1 << 20}), f32({1 << 20})}, .for_speed = true});
  return samples;
}

}  // namespace

PEN_OP_DEF(tanh) = {
    .name = "Tanh",
    .doc = "The hyperbolic tangent of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kTanh, kernels::kHeavyGrain>,
    .grad = tanh_grad,
    .saves = {.outputs = kAll},
    .samples = smooth_samples,
};

PEN_OP_DEF(sigmoid) = {
    .name = "Sigmoid",
    .doc = "1 / (1 + exp(-x)).",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSigmoid, kernels::kHeavyGrain>,
    .grad = sigmoid_grad,
    .saves = {.outputs = kAll},
    .samples = smooth_samples,
};

PEN_OP_DEF(relu) = {
    .name = "Relu",
    .doc = "max(x, 0).",
    .inputs = {in("features", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kRelu>,
    .grad = relu_grad_of,
    .saves = {.outputs = kAll},
    .samples = relu_samples,
};

PEN_OP_DEF(relu_grad) = {
    .name = "ReluGrad",
    .doc = "gradients where features are positive, 0 elsewhere.",
    .inputs = {in("gradients", kRealTypes), in("features", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_relu_grad,
    .cpu = binary_cpu<BinaryOp::kReluGrad>,
    .grad = relu_grad_grad,
    .saves = {.inputs = 0b10},
    .samples = relu_grad_samples,
};

}  // namespace penstock
