// The gamma function's family: logarithm, derivatives, incomplete and beta functions.
#include <cmath>

#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::TernaryOp;
using kernels::UnaryOp;

constexpr DTypeSet kPlainTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

Gradients lgamma_grad(const GradContext& g) { return {g.dy() * digamma(g.input(0))}; }
Gradients digamma_grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor wide = kHalfTypes.has(x.dtype()) ? cast(x, DType::kFloat32) : x;
  return {g.dy() * cast(polygamma(scalar_like(wide, 1), wide), x.dtype())};
}

// There is no derivative by the order.
Gradients polygamma_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor& a = g.input(0);
  const Tensor& x = g.input(1);
  if (g.needs(1)) out[1] = sum_to_like(g.dy() * polygamma(a + 1, x), x);
  return out;
}
Gradients zeta_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor& x = g.input(0);
  const Tensor& q = g.input(1);
  if (g.needs(1)) out[1] = sum_to_like(negative(g.dy() * x * zeta(x + 1, q)), q);
  return out;
}

// The gamma distribution's density, which is igamma's derivative by x.
Tensor gamma_density(const Tensor& a, const Tensor& x) {
  return exp(xlogy(a - 1, x) - x - lgamma(a));
}
Gradients incomplete_grad(const GradContext& g, const Tensor& dy) {
  Gradients out{{}, {}};
  const Tensor& a = g.input(0);
  const Tensor& x = g.input(1);
  if (g.needs(0)) out[0] = sum_to_like(dy * igamma_grad_a(a, x), a);
  if (g.needs(1)) out[1] = sum_to_like(dy * gamma_density(a, x), x);
  return out;
}
Gradients igamma_grad(const GradContext& g) { return incomplete_grad(g, g.dy()); }
Gradients igammac_grad(const GradContext& g) { return incomplete_grad(g, negative(g.dy())); }

void infer_betainc(InferContext& ctx) {
  const Shape together = broadcast(ctx, ctx.shape(0), ctx.shape(1));
  ctx.add_output(ctx.dtype(0), broadcast(ctx, together, ctx.shape(2)));
}
// Only x has a gradient, as in TensorFlow.
Gradients betainc_grad(const GradContext& g) {
  Gradients out{{}, {}, {}};
  if (!g.needs(2)) return out;
  const Tensor& a = g.input(0);
  const Tensor& b = g.input(1);
  const Tensor& x = g.input(2);
  const Tensor log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
  const Tensor density = exp(xlog1py(b - 1, negative(x)) + xlogy(a - 1, x) - log_beta);
  out[2] = sum_to_like(g.dy() * density, x);
  return out;
}

Tensors compose_lbeta(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  if (x.rank() == 0) ctx.fail("x must have at least one dimension");
  return {reduce_sum(lgamma(x), {-1}) - lgamma(reduce_sum(x, {-1}))};
}

std::vector<Sample> with_special(std::vector<Sample> samples, std::vector<double> values) {
  const auto count = static_cast<int64_t>(values.size());
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({.inputs = {given(dtype, {count}, values)}, .check_grad = false});
    samples.push_back({{of(dtype, {9}, 5, 40)}});
  }
  return samples;
}
std::vector<Sample> lgamma_samples() {
  return with_special(unary_samples(kRealFloatTypes, 0.5, 4),
                      {NAN, INFINITY, 0, -1, -2, -0.5, -3.7, 1e10});
}
std::vector<Sample> digamma_samples() {
  return with_special(unary_samples(kRealFloatTypes, 0.5, 4),
                      {NAN, INFINITY, 0, -1, -2, -0.5, -3.7, 1e10});
}

// Functions that are differentiable by some inputs only, or only once: finite differences disagree,
// so a separate test checks the gradients.
std::vector<Sample> without_gradients(std::vector<Sample> samples) {
  for (Sample& sample : samples) sample.check_grad = sample.inputs[0].shape == Shape{0};
  return samples;
}
std::vector<Sample> polygamma_samples() {
  std::vector<Sample> samples;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{given(dtype, {4, 1}, {0, 1, 2, 3}), of(dtype, {5}, 0.5, 4)}});
    samples.push_back({{given(dtype, {5}, {0, 1, -1, 0.5, 2}), given(dtype, {}, {2})}});
    samples.push_back({{given(dtype, {3}, {1, 2, 3}), of(dtype, {3}, 0.5, 4)}});
    samples.push_back({{of(dtype, {0}), of(dtype, {1})}});
  }
  samples.push_back(
      {.inputs = {given(DType::kFloat32, {}, {1}), f32({1 << 16}, 0.5, 4)}, .for_speed = true});
  return without_gradients(samples);
}
std::vector<Sample> zeta_samples() {
  std::vector<Sample> samples = binary_samples(kPlainTypes, 1.5, 4);
  samples.push_back({{given(DType::kFloat64, {7}, {1, 0.5, 2, 3, 3, 2.5, 2}),
                      given(DType::kFloat64, {7}, {1, 1, 0, -1, -1.5, -1.5, NAN})}});
  return without_gradients(samples);
}
std::vector<Sample> igamma_samples() {
  std::vector<Sample> samples = binary_samples(kPlainTypes, 0.5, 4);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{of(dtype, {3, 1}, 5, 20), of(dtype, {6}, 5, 20)}});
    samples.push_back({{given(dtype, {7}, {-1, 1, 1, NAN, 2, 1, 30}),
                        given(dtype, {7}, {1, -1, 0, 1, NAN, 8, 2})}});
  }
  return without_gradients(samples);
}
std::vector<Sample> igamma_grad_samples() {
  std::vector<Sample> samples = binary_samples(kPlainTypes, 0.5, 4);
  for (Sample& sample : samples) sample.tolerance = 1e-5;  // NumPy's differences are not precise
  return without_gradients(samples);
}
std::vector<Sample> betainc_samples() {
  std::vector<Sample> samples;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    samples.push_back(
        {{of(dtype, {3, 4}, 0.5, 4), of(dtype, {3, 4}, 0.5, 4), of(dtype, {3, 4}, 0.1, 0.9)}});
    samples.push_back(
        {{of(dtype, {}, 0.5, 4), of(dtype, {2, 1}, 0.5, 4), of(dtype, {5}, 0.1, 0.9)}});
    samples.push_back({{of(dtype, {0}), of(dtype, {}), of(dtype, {1})}});
    samples.push_back(
        {{given(dtype, {6}, {1, 2, -1, 1, 1, NAN}), given(dtype, {6}, {1, 3, 1, 0, 2, 1}),
          given(dtype, {6}, {0, 1, 0.5, 0.5, 2, 0.5})}});
  }
  samples.push_back(
      {.inputs = {f32({1 << 16}, 0.5, 4), f32({1 << 16}, 0.5, 4), f32({1 << 16}, 0.1, 0.9)},
       .for_speed = true});
  return without_gradients(samples);
}
std::vector<Sample> lbeta_samples() {
  return {
      {{f32({3, 4}, 0.5, 3)}},
      {{of(DType::kFloat64, {2}, 0.5, 3)}},
      {{of(DType::kFloat16, {2, 3}, 0.5, 3)}},
      {{f32({2, 1, 3}, 0.5, 3)}},
      {{f32({0, 3})}},
      {.inputs = {f32({1024, 64}, 0.5, 3)}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(lgamma) = {
    .name = "Lgamma",
    .doc = "The logarithm of the absolute value of the gamma function.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kLgamma, kernels::kHeavyGrain>,
    .grad = lgamma_grad,
    .saves = {.inputs = kAll},
    .samples = lgamma_samples,
};

PEN_OP_DEF(digamma) = {
    .name = "Digamma",
    .doc = "The derivative of lgamma.",
    .inputs = {in("x", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kDigamma, kernels::kHeavyGrain>,
    .grad = digamma_grad,
    .saves = {.inputs = kAll},
    .samples = digamma_samples,
};

PEN_OP_DEF(polygamma) = {
    .name = "Polygamma",
    .doc = "The a-th derivative of digamma at x.",
    .inputs = {in("a", kPlainTypes), in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kPolygamma, kernels::kHeavyGrain>,
    .grad = polygamma_grad,
    .saves = {.inputs = kAll},
    .samples = polygamma_samples,
};

PEN_OP_DEF(zeta) = {
    .name = "Zeta",
    .doc = "Hurwitz's zeta function: the sum of (k + q) to the power of -x over k = 0, 1, …",
    .inputs = {in("x", kPlainTypes), in("q", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kZeta, kernels::kHeavyGrain>,
    .grad = zeta_grad,
    .saves = {.inputs = kAll},
    .samples = zeta_samples,
};

PEN_OP_DEF(igamma) = {
    .name = "Igamma",
    .doc = "The lower regularised incomplete gamma function of a and x.",
    .inputs = {in("a", kPlainTypes), in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kIgamma, kernels::kHeavyGrain>,
    .grad = igamma_grad,
    .saves = {.inputs = kAll},
    .samples = igamma_samples,
};

PEN_OP_DEF(igammac) = {
    .name = "Igammac",
    .doc = "1 - igamma(a, x), precise where that is small.",
    .inputs = {in("a", kPlainTypes), in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kIgammac, kernels::kHeavyGrain>,
    .grad = igammac_grad,
    .saves = {.inputs = kAll},
    .samples = igamma_samples,
};

PEN_OP_DEF(igamma_grad_a) = {
    .name = "IgammaGradA",
    .doc = "The derivative of igamma(a, x) by a.",
    .inputs = {in("a", kPlainTypes), in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kIgammaGradA, kernels::kHeavyGrain>,
    .grad = missing_gradient,
    .samples = igamma_grad_samples,
};

PEN_OP_DEF(random_gamma_grad) = {
    .name = "RandomGammaGrad",
    .doc = "How a gamma-distributed sample changes with the distribution's shape alpha.",
    .inputs = {in("alpha", kPlainTypes), in("sample", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kRandomGammaGrad, kernels::kHeavyGrain>,
    .grad = missing_gradient,
    .samples = igamma_grad_samples,
};

PEN_OP_DEF(betainc) = {
    .name = "Betainc",
    .doc = "The regularised incomplete beta function of a, b and x.",
    .inputs = {in("a", kPlainTypes), in("b", kPlainTypes), in("x", kPlainTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_betainc,
    .cpu = ternary_cpu<TernaryOp::kBetainc, kernels::kHeavyGrain>,
    .grad = betainc_grad,
    .saves = {.inputs = kAll},
    .samples = betainc_samples,
};

PEN_OP_DEF(lbeta) = {
    .name = "Lbeta",
    .doc = "The logarithm of the beta function of the last axis.",
    .inputs = {in("x", kRealFloatTypes)},
    .infer = composed,
    .compose = compose_lbeta,
    .grad = composed_gradient,
    .samples = lbeta_samples,
    .graph_name = {"lbeta", "sub"},
};

}  // namespace penstock
