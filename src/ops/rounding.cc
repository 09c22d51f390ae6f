// Magnitude, sign, rounding and neighbours.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

Gradients abs_grad(const GradContext& g) { return {g.dy() * sign(g.input(0))}; }
Gradients sign_grad(const GradContext& g) { return {zeros_like(g.input(0))}; }

// Integers are already rounded.
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

constexpr DTypeSet kPlainTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;
// x1's neighbour moves as x1 does.
Gradients nextafter_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy, g.input(0));
  if (g.needs(1)) out[1] = zeros_like(g.input(1));
  return out;
}
std::vector<Sample> nextafter_samples() {
  std::vector<Sample> samples = binary_samples(kPlainTypes);
  samples.push_back({.inputs = {given(DType::kFloat32, {4}, {1, NAN, INFINITY, 0}),
                                given(DType::kFloat32, {4}, {2, 1, 1, -1})},
                     .check_grad = false});
  return samples;
}

}  // namespace

PEN_OP_DEF(abs) = {
    .name = "Abs",
    .doc = "The absolute value of x.",
    .inputs = {in("x", kAbsTypes)},
    .traits = {Trait::kElementwise, Trait::kIdempotent},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kAbs>,
    .grad = abs_grad,
    .saves = {.inputs = kAll},
    .samples = abs_samples,
    .operators = {{"abs"}},
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
    .traits = {Trait::kElementwise, Trait::kIdempotent},
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
    .traits = {Trait::kElementwise, Trait::kIdempotent},
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
    .traits = {Trait::kElementwise, Trait::kIdempotent},
    .forwards = {{0, 0}},
    .infer = infer_round,
    .cpu = unary_cpu<UnaryOp::kRound>,
    .grad = no_gradient,
    .samples = round_samples,
};

PEN_OP_DEF(rint) = {
    .name = "Rint",
    .doc = "The nearest whole number; halves go to the even one.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise, Trait::kIdempotent},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kRound>,
    .grad = no_gradient,
    .samples = floor_samples,
};

PEN_OP_DEF(nextafter) = {
    .name = "NextAfter",
    .doc = "The next number after x1 in the direction of x2.",
    .inputs = {in("x1", kPlainTypes), in("x2", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kNextAfter, kernels::kHeavyGrain>,
    .grad = nextafter_grad,
    .samples = nextafter_samples,
};

}  // namespace penstock
