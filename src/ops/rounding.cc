// Magnitude, sign and rounding.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

Gradients abs_grad(const GradContext& g) { return {g.dy() * sign(g.input(0))}; }
Gradients sign_grad(const GradContext& g) { return {zeros_like(g.input(0))}; }

// Whole numbers are round already.
void infer_round(InferContext& ctx) {
  if (kIntTypes.has(ctx.dtype(0))) return ctx.share_output(ctx.shape(0));
  infer_unary(ctx);
}

constexpr DTypeSet kAbsTypes = kRealFloatTypes | kSignedTypes;
constexpr DTypeSet kSignTypes = kFloatTypes | kSignedTypes;

std::vector<Sample> with_special(std::vector<Sample> samples) {
  for (const DType dtype : {DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back(
        {.inputs = {given(dtype, {10},
                          {NAN, INFINITY, -INFINITY, 0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5})},
         .check_grad = false});
  }
  return samples;
}
std::vector<Sample> abs_samples() {
  std::vector<Sample> samples = with_special(unary_samples(kAbsTypes));
  samples.push_back({{given(DType::kInt8, {2}, {-128, 127})}});
  return samples;
}
std::vector<Sample> sign_samples() {
  std::vector<Sample> samples = with_special(unary_samples(kSignTypes));
  // The direction of a complex number has no complex derivative.
  for (Sample& sample : samples) {
    sample.check_grad = sample.check_grad && !kComplexTypes.has(sample.inputs[0].dtype);
  }
  return samples;
}
std::vector<Sample> floor_samples() { return with_special(unary_samples(kRealFloatTypes, -5, 5)); }
std::vector<Sample> round_samples() { return with_special(unary_samples(kAbsTypes, -5, 5)); }

}  // namespace

PEN_OP_DEF(abs) = {
    .name = "Abs",
    .doc = "The absolute value of x.",
    .inputs = {in("x", kAbsTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAbs>,
    .grad = abs_grad,
    .saves = {.inputs = kAll},
    .samples = abs_samples,
};

PEN_OP_DEF(sign) = {
    .name = "Sign",
    .doc = "-1, 0 or 1 with the sign of x; x / |x| for complex numbers.",
    .inputs = {in("x", kSignTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSign>,
    .grad = sign_grad,
    .samples = sign_samples,
};

PEN_OP_DEF(floor) = {
    .name = "Floor",
    .doc = "The largest whole number not above x.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kFloor>,
    .grad = no_gradient,
    .samples = floor_samples,
};

PEN_OP_DEF(ceil) = {
    .name = "Ceil",
    .doc = "The smallest whole number not below x.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kCeil>,
    .grad = no_gradient,
    .samples = floor_samples,
};

PEN_OP_DEF(round) = {
    .name = "Round",
    .doc = "The nearest whole number; halves go to the even one.",
    .inputs = {in("x", kAbsTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_round,
    .cpu = unary_cpu<UnaryOp::kRound>,
    .grad = no_gradient,
    .samples = round_samples,
};

}  // namespace penstock
