// Hyperbolic sine and cosine, and the inverses of the hyperbolic functions.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

Gradients sinh_grad(const GradContext& g) { return {g.dy() * cosh(conjugate(g.input(0)))}; }
Gradients cosh_grad(const GradContext& g) { return {g.dy() * sinh(conjugate(g.input(0)))}; }
Gradients asinh_grad(const GradContext& g) { return {g.dy() / cosh(conjugate(g.output()))}; }
Gradients acosh_grad(const GradContext& g) { return {g.dy() / sinh(conjugate(g.output()))}; }
Gradients atanh_grad(const GradContext& g) {
  return {g.dy() / (1 - square(conjugate(g.input(0))))};
}

std::vector<Sample> with_special(std::vector<Sample> samples) {
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back(
        {.inputs = {given(dtype, {10}, {NAN, INFINITY, -INFINITY, 0, 1, -1, 85, -85, 89, 1e-7})},
         .check_grad = false});
  }
  return samples;
}
std::vector<Sample> samples() { return with_special(unary_samples(kFloatTypes)); }
std::vector<Sample> acosh_samples() { return with_special(unary_samples(kFloatTypes, 1.2, 3)); }
std::vector<Sample> atanh_samples() { return with_special(unary_samples(kFloatTypes, -0.9, 0.9)); }

}  // namespace

PEN_OP_DEF(sinh) = {
    .name = "Sinh",
    .doc = "The hyperbolic sine of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSinh, kernels::kHeavyGrain>,
    .grad = sinh_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(cosh) = {
    .name = "Cosh",
    .doc = "The hyperbolic cosine of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kCosh, kernels::kHeavyGrain>,
    .grad = cosh_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(asinh) = {
    .name = "Asinh",
    .doc = "The inverse hyperbolic sine of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAsinh, kernels::kHeavyGrain>,
    .grad = asinh_grad,
    .saves = {.outputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(acosh) = {
    .name = "Acosh",
    .doc = "The inverse hyperbolic cosine of x; NaN below 1.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAcosh, kernels::kHeavyGrain>,
    .grad = acosh_grad,
    .saves = {.outputs = kAll},
    .samples = acosh_samples,
};

PEN_OP_DEF(atanh) = {
    .name = "Atanh",
    .doc = "The inverse hyperbolic tangent of x; NaN outside of [-1, 1].",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAtanh, kernels::kHeavyGrain>,
    .grad = atanh_grad,
    .saves = {.inputs = kAll},
    .samples = atanh_samples,
};

}  // namespace penstock
