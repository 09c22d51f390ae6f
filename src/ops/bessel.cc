// Bessel functions of orders 0 and 1.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::UnaryOp;

constexpr DTypeSet kTypes = kRealFloatTypes;

// y / x, and a half where x is 0: what the functions of order 1 tend to there.
Tensor over_x(const Tensor& y, const Tensor& x) {
  const Tensor is_zero = equal(x, scalar_like(x, 0));
  return select(is_zero, scalar_like(x, 0.5), y / select(is_zero, scalar_like(x, 1), x));
}

Gradients i0_grad(const GradContext& g) { return {g.dy() * bessel_i1(g.input(0))}; }
Gradients i0e_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {g.dy() * (bessel_i1e(x) - sign(x) * g.output())};
}
Gradients i1_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {g.dy() * (bessel_i0(x) - over_x(g.output(), x))};
}
Gradients i1e_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor& y = g.output();
  return {g.dy() * (bessel_i0e(x) - sign(x) * y - over_x(y, x))};
}
Gradients k0_grad(const GradContext& g) { return {negative(g.dy() * bessel_k1(g.input(0)))}; }
Gradients k0e_grad(const GradContext& g) {
  return {g.dy() * (g.output() - bessel_k1e(g.input(0)))};
}
Gradients k1_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {negative(g.dy() * (bessel_k0(x) + g.output() / x))};
}
Gradients k1e_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {g.dy() * (g.output() * (1 - reciprocal(x)) - bessel_k0e(x))};
}
Gradients j0_grad(const GradContext& g) { return {negative(g.dy() * bessel_j1(g.input(0)))}; }
Gradients j1_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {g.dy() * (bessel_j0(x) - over_x(g.output(), x))};
}
Gradients y0_grad(const GradContext& g) { return {negative(g.dy() * bessel_y1(g.input(0)))}; }
Gradients y1_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  return {g.dy() * (bessel_y0(x) - g.output() / x)};
}

std::vector<Sample> with_far(std::vector<Sample> samples, double low, double high) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{of(dtype, {20}, low, high)}});
    samples.push_back({.inputs = {given(dtype, {1}, {NAN})}, .check_grad = false});
  }
  return samples;
}
std::vector<Sample> samples() { return with_far(unary_samples(kTypes, 0.2, 3), 5, 12); }
std::vector<Sample> negative_samples() {
  return with_far(unary_samples(kTypes, -3, -0.2), -12, -5);
}
std::vector<Sample> both_samples() {
  std::vector<Sample> both = samples();
  for (const Sample& sample : negative_samples()) {
    if (!sample.for_speed) both.push_back(sample);
  }
  return both;
}

}  // namespace

PEN_OP_DEF(bessel_i0) = {
    .name = "BesselI0",
    .doc = "The modified Bessel function of the first kind of order 0.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselI0, kernels::kHeavyGrain>,
    .grad = i0_grad,
    .saves = {.inputs = kAll},
    .samples = both_samples,
    .graph_name = {"bessel_i0", "BesselI0"},
};

PEN_OP_DEF(bessel_i0e) = {
    .name = "BesselI0e",
    .doc = "bessel_i0(x) * exp(-|x|).",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselI0e, kernels::kHeavyGrain>,
    .grad = i0e_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = both_samples,
    .graph_name = {"bessel_i0e", "BesselI0e"},
};

PEN_OP_DEF(bessel_i1) = {
    .name = "BesselI1",
    .doc = "The modified Bessel function of the first kind of order 1.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselI1, kernels::kHeavyGrain>,
    .grad = i1_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = both_samples,
    .graph_name = {"bessel_i1", "BesselI1"},
};

PEN_OP_DEF(bessel_i1e) = {
    .name = "BesselI1e",
    .doc = "bessel_i1(x) * exp(-|x|).",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselI1e, kernels::kHeavyGrain>,
    .grad = i1e_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = both_samples,
    .graph_name = {"bessel_i1e", "BesselI1e"},
};

PEN_OP_DEF(bessel_k0) = {
    .name = "BesselK0",
    .doc = "The modified Bessel function of the second kind of order 0.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselK0, kernels::kHeavyGrain>,
    .grad = k0_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"bessel_k0", "BesselK0"},
};

PEN_OP_DEF(bessel_k0e) = {
    .name = "BesselK0e",
    .doc = "bessel_k0(x) * exp(x).",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselK0e, kernels::kHeavyGrain>,
    .grad = k0e_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {"bessel_k0e", "BesselK0e"},
};

PEN_OP_DEF(bessel_k1) = {
    .name = "BesselK1",
    .doc = "The modified Bessel function of the second kind of order 1.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselK1, kernels::kHeavyGrain>,
    .grad = k1_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {"bessel_k1", "BesselK1"},
};

PEN_OP_DEF(bessel_k1e) = {
    .name = "BesselK1e",
    .doc = "bessel_k1(x) * exp(x).",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselK1e, kernels::kHeavyGrain>,
    .grad = k1e_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {"bessel_k1e", "BesselK1e"},
};

PEN_OP_DEF(bessel_j0) = {
    .name = "BesselJ0",
    .doc = "The Bessel function of the first kind of order 0.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselJ0, kernels::kHeavyGrain>,
    .grad = j0_grad,
    .saves = {.inputs = kAll},
    .samples = both_samples,
    .graph_name = {"bessel_j0", "BesselJ0"},
};

PEN_OP_DEF(bessel_j1) = {
    .name = "BesselJ1",
    .doc = "The Bessel function of the first kind of order 1.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselJ1, kernels::kHeavyGrain>,
    .grad = j1_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = both_samples,
    .graph_name = {"bessel_j1", "BesselJ1"},
};

PEN_OP_DEF(bessel_y0) = {
    .name = "BesselY0",
    .doc = "The Bessel function of the second kind of order 0.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselY0, kernels::kHeavyGrain>,
    .grad = y0_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"bessel_y0", "BesselY0"},
};

PEN_OP_DEF(bessel_y1) = {
    .name = "BesselY1",
    .doc = "The Bessel function of the second kind of order 1.",
    .inputs = {in("x", kTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kBesselY1, kernels::kHeavyGrain>,
    .grad = y1_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {"bessel_y1", "BesselY1"},
};

}  // namespace penstock
