// The exponential and logarithms.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

Gradients exp_grad(const GradContext& g) { return {g.dy() * conjugate(g.output())}; }
Gradients log_grad(const GradContext& g) { return {g.dy() / conjugate(g.input(0))}; }
Gradients log1p_grad(const GradContext& g) { return {g.dy() / (conjugate(g.input(0)) + 1)}; }
Gradients expm1_grad(const GradContext& g) { return {g.dy() * exp(conjugate(g.input(0)))}; }

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

PEN_OP_DEF(expm1) = {
    .name = "Expm1",
    .doc = "exp(x) - 1, precise near 0.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kExpm1, kernels::kHeavyGrain>,
    .grad = expm1_grad,
    .saves = {.inputs = kAll},
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

}  // namespace penstock
