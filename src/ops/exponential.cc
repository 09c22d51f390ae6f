// The exponential, logarithms and the error function.
#include <cmath>
#include <numbers>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

Gradients exp_grad(const GradContext& g) { return {g.dy() * conjugate(g.output())}; }
Gradients log_grad(const GradContext& g) { return {g.dy() / conjugate(g.input(0))}; }
Gradients log1p_grad(const GradContext& g) { return {g.dy() / (conjugate(g.input(0)) + 1)}; }
Gradients erf_grad(const GradContext& g) {
  return {g.dy() * (exp(negative(square(g.input(0)))) * (2 * std::numbers::inv_sqrtpi))};
}

constexpr double kTiny = 1e-40;  // below the least normal float

std::vector<Sample> with_special(std::vector<Sample> samples, std::vector<double> values) {
  const auto count = static_cast<int64_t>(values.size());
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back({.inputs = {given(dtype, {count}, values)}, .check_grad = false});
  }
  return samples;
}

std::vector<Sample> exp_samples() {
  return with_special(unary_samples(kFloatTypes),
                      {NAN, INFINITY, -INFINITY, 0, 89, -89, -100, 1000, -1000, 1e38});
}
std::vector<Sample> log_samples() {
  return with_special(unary_samples(kFloatTypes, 0.5, 3),
                      {NAN, INFINITY, -INFINITY, 0, -1, kTiny, 1, 1e38});
}
std::vector<Sample> log1p_samples() {
  return with_special(unary_samples(kFloatTypes, -0.5, 3),
                      {NAN, INFINITY, -INFINITY, 0, -1, -2, kTiny, 1e-7, -1e-7, 1e38});
}
std::vector<Sample> erf_samples() {
  return with_special(unary_samples(kRealFloatTypes), {NAN, INFINITY, -INFINITY, 0, 5, -5, 1e-7});
}

}  // namespace

PEN_OP_DEF(exp) = {
    .name = "Exp",
    .doc = "e to the power of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kExp, kernels::kHeavyGrain>,
    .grad = exp_grad,
    .saves = {.outputs = kAll},
    .samples = exp_samples,
};

PEN_OP_DEF(log) = {
    .name = "Log",
    .doc = "The natural logarithm of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kLog, kernels::kHeavyGrain>,
    .grad = log_grad,
    .saves = {.inputs = kAll},
    .samples = log_samples,
};

PEN_OP_DEF(log1p) = {
    .name = "Log1p",
    .doc = "log(1 + x), precise near 0.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kLog1p, kernels::kHeavyGrain>,
    .grad = log1p_grad,
    .saves = {.inputs = kAll},
    .samples = log1p_samples,
};

PEN_OP_DEF(erf) = {
    .name = "Erf",
    .doc = "The error function of x.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kErf, kernels::kHeavyGrain>,
    .grad = erf_grad,
    .saves = {.inputs = kAll},
    .samples = erf_samples,
};

}  // namespace penstock
