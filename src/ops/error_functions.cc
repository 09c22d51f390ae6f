// The error function and related ones: tails and quantiles of the normal distribution.
#include <cmath>
#include <numbers>

#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

// 2 / √π e^(-x²)
Tensor erf_slope(const Tensor& x) {
  return exp(negative(square(x))) * (2 * std::numbers::inv_sqrtpi);
}
Gradients erf_grad(const GradContext& g) { return {g.dy() * erf_slope(g.input(0))}; }
Gradients erfc_grad(const GradContext& g) { return {negative(g.dy() * erf_slope(g.input(0)))}; }
Gradients erfinv_grad(const GradContext& g) {
  return {g.dy() * (exp(square(g.output())) * (0.5 / std::numbers::inv_sqrtpi))};
}
Gradients ndtri_grad(const GradContext& g) {
  const double root = std::sqrt(2 * std::numbers::pi);
  return {g.dy() * (exp(square(g.output()) * 0.5) * root)};
}

Tensors compose_erfcinv(const ComposeContext& ctx) {
  return {ndtri(ctx.tensor(0) * 0.5) * (-1 / std::numbers::sqrt2)};
}

std::vector<Sample> with_special(std::vector<Sample> samples, DTypeSet dtypes,
                                 std::vector<double> values) {
  const auto count = static_cast<int64_t>(values.size());
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    if (!dtypes.has(dtype)) continue;
    samples.push_back({.inputs = {given(dtype, {count}, values)}, .check_grad = false});
  }
  return samples;
}

constexpr DTypeSet kPlainTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

std::vector<Sample> samples() {
  return with_special(unary_samples(kRealFloatTypes), kRealFloatTypes,
                      {NAN, INFINITY, -INFINITY, 0, 5, -5, 1e-7, 0.6, -0.95});
}
std::vector<Sample> erfinv_samples() {
  return with_special(unary_samples(kPlainTypes, -0.9, 0.9), kPlainTypes,
                      {NAN, 0, 1, -1, 2, -2, 1e-7, 0.99999, -0.9999});
}
std::vector<Sample> ndtri_samples() {
  return with_special(unary_samples(kPlainTypes, 0.1, 0.9), kPlainTypes,
                      {NAN, 0, 1, -1, 2, 0.5, 1e-30, 0.9999, 1e-5});
}

}  // namespace

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
    .samples = samples,
};

PEN_OP_DEF(erfc) = {
    .name = "Erfc",
    .doc = "1 - erf(x), precise for large x.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kErfc, kernels::kHeavyGrain>,
    .grad = erfc_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(erfinv) = {
    .name = "Erfinv",
    .doc = "The inverse of erf.",
    .inputs = {in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kErfinv, kernels::kHeavyGrain>,
    .grad = erfinv_grad,
    .saves = {.outputs = kAll},
    .samples = erfinv_samples,
    .graph_name = {"erfinv", "Erfinv"},
};

PEN_OP_DEF(ndtri) = {
    .name = "Ndtri",
    .doc = "The number that a normal one is below with probability x.",
    .inputs = {in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kNdtri, kernels::kHeavyGrain>,
    .grad = ndtri_grad,
    .saves = {.outputs = kAll},
    .samples = ndtri_samples,
    .graph_name = {"ndtri", "Ndtri"},
};

PEN_OP_DEF(erfcinv) = {
    .name = "Erfcinv",
    .doc = "The inverse of erfc.",
    .inputs = {in("x", kPlainTypes)},
    .infer = composed,
    .compose = compose_erfcinv,
    .grad = composed_gradient,
    .samples = ndtri_samples,
    .graph_name = {"erfcinv", "mul_1"},
};

}  // namespace penstock
