// Sine and cosine.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

Gradients sin_grad(const GradContext& g) { return {g.dy() * cos(conjugate(g.input(0)))}; }
Gradients cos_grad(const GradContext& g) { return {negative(g.dy() * sin(conjugate(g.input(0))))}; }

std::vector<Sample> samples() {
  std::vector<Sample> samples = unary_samples(kFloatTypes);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{of(dtype, {17}, -1000, 1000)}});
    samples.push_back({.inputs = {given(dtype, {6}, {NAN, INFINITY, -INFINITY, 1e5, -1e10, 1e38})},
                       .check_grad = false});
  }
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

}  // namespace penstock
