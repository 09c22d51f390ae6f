// Sine, cosine, tangent and their inverses.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

Gradients sin_grad(const GradContext& g) { return {g.dy() * cos(conjugate(g.input(0)))}; }
Gradients cos_grad(const GradContext& g) { return {negative(g.dy() * sin(conjugate(g.input(0))))}; }
Gradients tan_grad(const GradContext& g) { return {g.dy() * (square(conjugate(g.output())) + 1)}; }
Gradients asin_grad(const GradContext& g) {
  return {g.dy() * rsqrt(1 - square(conjugate(g.input(0))))};
}
Gradients acos_grad(const GradContext& g) {
  return {negative(g.dy() * rsqrt(1 - square(conjugate(g.input(0)))))};
}
Gradients atan_grad(const GradContext& g) { return {g.dy() / (square(conjugate(g.input(0))) + 1)}; }
Gradients atan2_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor& y = g.input(0);
  const Tensor& x = g.input(1);
  const Tensor share = g.dy() / (square(x) + square(y));
  if (g.needs(0)) out[0] = sum_to_like(x * share, y);
  if (g.needs(1)) out[1] = sum_to_like(negative(y * share), x);
  return out;
}

std::vector<Sample> with_large(std::vector<Sample> samples) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({.inputs = {given(dtype, {6}, {NAN, INFINITY, -INFINITY, 1e5, -1e10, 1e38})},
                       .check_grad = false});
  }
  return samples;
}
std::vector<Sample> samples() {
  std::vector<Sample> samples = with_large(unary_samples(kFloatTypes));
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{of(dtype, {17}, -1000, 1000)}});
  }
  return samples;
}
std::vector<Sample> tan_samples() { return with_large(unary_samples(kFloatTypes, -1.2, 1.2)); }
std::vector<Sample> bounded_samples() {
  std::vector<Sample> samples = unary_samples(kFloatTypes, -0.9, 0.9);
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back({.inputs = {given(dtype, {8}, {NAN, INFINITY, -INFINITY, 1, -1, 0, 1.5, -2})},
                       .check_grad = false});
  }
  return samples;
}
std::vector<Sample> atan_samples() { return with_large(unary_samples(kFloatTypes, -0.9, 0.9)); }
std::vector<Sample> atan2_samples() {
  std::vector<Sample> samples = binary_samples(kRealFloatTypes, 0.5, 2);
  samples.push_back({{f32({3, 4}, -2, -0.5), f32({4}, -2, -0.5)}});
  samples.push_back({.inputs = {given(DType::kFloat32, {6}, {0, -0.0, 0, 1, INFINITY, NAN}),
                                given(DType::kFloat32, {6}, {-1, -1, 0, 0, -INFINITY, 1})},
                     .check_grad = false});
  return samples;
}

}  // namespace

PEN_OP_DEF(sin) = {
    .name = "Sin",
    .doc = "The sine of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSin, kernels::kHeavyGrain>,
    .grad = sin_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(cos) = {
    .name = "Cos",
    .doc = "The cosine of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kCos, kernels::kHeavyGrain>,
    .grad = cos_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(tan) = {
    .name = "Tan",
    .doc = "The tangent of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kTan, kernels::kHeavyGrain>,
    .grad = tan_grad,
    .saves = {.outputs = kAll},
    .samples = tan_samples,
};

PEN_OP_DEF(asin) = {
    .name = "Asin",
    .doc = "The inverse sine of x; NaN outside of [-1, 1].",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAsin, kernels::kHeavyGrain>,
    .grad = asin_grad,
    .saves = {.inputs = kAll},
    .samples = bounded_samples,
};

PEN_OP_DEF(acos) = {
    .name = "Acos",
    .doc = "The inverse cosine of x; NaN outside of [-1, 1].",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAcos, kernels::kHeavyGrain>,
    .grad = acos_grad,
    .saves = {.inputs = kAll},
    .samples = bounded_samples,
};

PEN_OP_DEF(atan) = {
    .name = "Atan",
    .doc = "The inverse tangent of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAtan, kernels::kHeavyGrain>,
    .grad = atan_grad,
    .saves = {.inputs = kAll},
    .samples = atan_samples,
};

PEN_OP_DEF(atan2) = {
    .name = "Atan2",
    .doc = "The angle of the point (x, y), in (-π, π].",
    .inputs = {in("y", kRealFloatTypes), in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kAtan2, kernels::kHeavyGrain>,
    .grad = atan2_grad,
    .saves = {.inputs = kAll},
    .samples = atan2_samples,
};

}  // namespace penstock
