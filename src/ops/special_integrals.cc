// Functions that are integrals: Dawson's, Fresnel's, the exponential integral and Spence's.
#include <cmath>
#include <numbers>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

constexpr DTypeSet kTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

Gradients dawsn_grad(const GradContext& g) { return {g.dy() * (1 - g.input(0) * g.output() * 2)}; }
Gradients expint_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {g.dy() * (exp(x) / x)};
}
Tensor quarter_turns(const Tensor& x) { return square(x) * (std::numbers::pi / 2); }
Gradients fresnel_cos_grad(const GradContext& g) {
  return {g.dy() * cos(quarter_turns(g.input(0)))};
}
Gradients fresnel_sin_grad(const GradContext& g) {
  return {g.dy() * sin(quarter_turns(g.input(0)))};
}
// log(x) / (1 - x), which is -1 where x is 1.
Gradients spence_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor is_one = equal(x, scalar_like(x, 1));
  const Tensor other = select(is_one, scalar_like(x, 2), x);
  return {g.dy() * select(is_one, scalar_like(x, -1), log(other) / (1 - other))};
}

std::vector<Sample> with_more(std::vector<Sample> samples, std::vector<double> values) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const auto count = static_cast<int64_t>(values.size());
    samples.push_back({.inputs = {given(dtype, {count}, values)}, .check_grad = false});
  }
  return samples;
}
std::vector<Sample> samples() { return with_more(unary_samples(kTypes, -4, 4), {NAN, 0, 5, -6}); }
std::vector<Sample> expint_samples() {
  return with_more(unary_samples(kTypes, 0.5, 4), {NAN, 0, -1, 20, 45});
}
std::vector<Sample> spence_samples() {
  return with_more(unary_samples(kTypes, 0.1, 4), {NAN, 0, -1, 1, 30});
}

}  // namespace

PEN_OP_DEF(dawsn) = {
    .name = "Dawsn",
    .doc = "Dawson's integral of x.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kDawsn, kernels::kHeavyGrain>,
    .grad = dawsn_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {"dawsn", "Dawsn"},
};

PEN_OP_DEF(expint) = {
    .name = "Expint",
    .doc = "The exponential integral of x.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kExpint, kernels::kHeavyGrain>,
    .grad = expint_grad,
    .saves = {.inputs = kAll},
    .samples = expint_samples,
    .graph_name = {"expint", "Expint"},
};

PEN_OP_DEF(fresnel_cos) = {
    .name = "FresnelCos",
    .doc = "Fresnel's integral of the cosine, from 0 to x.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kFresnelCos, kernels::kHeavyGrain>,
    .grad = fresnel_cos_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"fresnel_cos", "FresnelCos"},
};

PEN_OP_DEF(fresnel_sin) = {
    .name = "FresnelSin",
    .doc = "Fresnel's integral of the sine, from 0 to x.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kFresnelSin, kernels::kHeavyGrain>,
    .grad = fresnel_sin_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"fresnel_sin", "FresnelSin"},
};

PEN_OP_DEF(spence) = {
    .name = "Spence",
    .doc = "Spence's integral of x: the dilogarithm of 1 - x.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSpence, kernels::kHeavyGrain>,
    .grad = spence_grad,
    .saves = {.inputs = kAll},
    .samples = spence_samples,
    .graph_name = {"spence", "Spence"},
};

}  // namespace penstock
