// Gelu, Swish and activations that are made of other ops.
#include <cmath>
#include <numbers>

#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

#define HWY_TARGET_INCLUDE "ops/gelu.cc"
#include "kernels/targets.h"

#include "kernels/function-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

// x times the probability that a normal number is below x.
struct Gelu {
  template <class D>
  static HWY_INLINE V<D> probability(D d, V<D> x) {
    constexpr double kRootHalf = 0.70710678118654752440;
    return hn::Mul(number(d, 0.5), Erfc::call(d, hn::Mul(x, number(d, -kRootHalf))));
  }
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return hn::Mul(x, probability(d, x));
  }
};

struct GeluTanh {
  static constexpr double kScale = 0.79788456080286535588;  // √(2/π)
  static constexpr double kCube = 0.044715;
  template <class D>
  static HWY_INLINE V<D> tanh(D d, V<D> x) {
    const auto cube = hn::Mul(hn::Mul(x, x), x);
    return Tanh::call(d, hn::Mul(number(d, kScale), hn::MulAdd(number(d, kCube), cube, x)));
  }
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return hn::Mul(hn::Mul(number(d, 0.5), x), hn::Add(number(d, 1), tanh(d, x)));
  }
};

struct GeluGrad {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> dy, V<D> x) {
    constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / √(2π)
    const auto square = hn::Mul(hn::Mul(x, x), number(d, -0.5));
    const auto density = hn::Mul(number(d, kDensityAtZero), Exp::call(d, square));
    return hn::Mul(dy, hn::MulAdd(x, density, Gelu::probability(d, x)));
  }
};

struct GeluTanhGrad {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> dy, V<D> x) {
    const auto one = number(d, 1);
    const auto half = number(d, 0.5);
    const auto tanh = GeluTanh::tanh(d, x);
    const auto cube_slope = hn::Mul(number(d, 3 * GeluTanh::kCube), hn::Mul(x, x));
    const auto slope = hn::Mul(number(d, GeluTanh::kScale), hn::Add(one, cube_slope));
    const auto of_tanh = hn::Mul(hn::NegMulAdd(tanh, tanh, one), hn::Mul(hn::Mul(half, x), slope));
    return hn::Mul(dy, hn::MulAdd(half, hn::Add(one, tanh), of_tanh));
  }
};

struct Swish {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x, V<D> beta) {
    return hn::Mul(x, Sigmoid::call(d, hn::Mul(beta, x)));
  }
};

PEN_UNARY_LOOPS(gelu, Gelu)
PEN_UNARY_LOOPS(gelu_tanh, GeluTanh)
PEN_BINARY_LOOPS(gelu_grad, GeluGrad)
PEN_BINARY_LOOPS(gelu_tanh_grad, GeluTanhGrad)
PEN_BINARY_LOOPS(swish, Swish)

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
PEN_UNARY_FUNCTION(gelu)
PEN_UNARY_FUNCTION(gelu_tanh)
PEN_BINARY_FUNCTION(gelu_grad)
PEN_BINARY_FUNCTION(gelu_tanh_grad)
PEN_BINARY_FUNCTION(swish)

namespace penstock {
namespace {

using namespace elementwise;

KernelResult gelu_cpu(const KernelContext& ctx) {
  if (ctx.attrs[0].as_bool()) return unary_cpu<kernels::gelu_tanh, kernels::kHeavyGrain>(ctx);
  return unary_cpu<kernels::gelu, kernels::kHeavyGrain>(ctx);
}
Gradients gelu_grad_of(const GradContext& g) {
  return {gelu_grad(g.dy(), g.input(0), g.attr(0).as_bool())};
}

KernelResult gelu_grad_cpu(const KernelContext& ctx) {
  if (ctx.attrs[0].as_bool()) return binary_cpu<kernels::gelu_tanh_grad, kernels::kHeavyGrain>(ctx);
  return binary_cpu<kernels::gelu_grad, kernels::kHeavyGrain>(ctx);
}

// The second derivative of x P(x), P the normal distribution: P' (2 - x²).
Tensor gelu_curvature(const Tensor& x) {
  const Tensor square_of_x = square(x);
  const double at_zero = 1 / std::sqrt(2 * std::numbers::pi);
  return exp(square_of_x * -0.5) * at_zero * (2 - square_of_x);
}
// The second derivative of x / 2 (1 + t), t = tanh u: t' + x / 2 t''.
Tensor gelu_tanh_curvature(const Tensor& x) {
  constexpr double kScale = 0.79788456080286535588;
  constexpr double kCube = 0.044715;
  const Tensor square_of_x = square(x);
  const Tensor t = tanh((square_of_x * kCube + 1) * x * kScale);
  const Tensor slope = (square_of_x * (3 * kCube) + 1) * kScale;
  const Tensor rest = 1 - square(t);
  const Tensor second = rest * (x * (6 * kCube * kScale) - t * square(slope) * 2);
  return rest * slope + x * second * 0.5;
}
Gradients gelu_grad_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor& x = g.input(1);
  const bool approximate = g.attr(0).as_bool();
  if (g.needs(0)) out[0] = gelu_grad(g.dy(), x, approximate);
  if (g.needs(1)) {
    out[1] = g.dy() * g.input(0) * (approximate ? gelu_tanh_curvature(x) : gelu_curvature(x));
  }
  return out;
}

KernelResult swish_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  Parameter beta(x.dtype, ctx.attrs[0].as_float());
  kernels::run_binary(kernels::swish(x.dtype), x, beta.view(), ctx.outputs[0],
                      kernels::kHeavyGrain);
  return KernelResult::ok();
}
// Keeps only x: s (1 + β x (1 - s)) with s = sigmoid(β x).
Gradients swish_grad(const GradContext& g) {
  const Tensor scaled = g.input(0) * g.attr(0).as_float();
  const Tensor s = sigmoid(scaled);
  return {g.dy() * s * (scaled * (1 - s) + 1)};
}

Tensors compose_log_sigmoid(const ComposeContext& ctx) {
  return {negative(softplus(negative(ctx.tensor(0))))};
}

Tensors compose_crelu(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const int64_t axis = ctx.axis(ctx.attr(0).as_int(), x.rank());
  const Tensor parts[] = {x, negative(x)};
  return {relu(concat(parts, axis))};
}

std::vector<Sample> with(std::vector<Sample> samples, const SampleAttr& attr) {
  std::vector<Sample> more;
  for (const Sample& sample : samples) {
    more.push_back(sample);
    if (sample.inputs[0].shape.rank() != 2) continue;
    more.push_back(sample);
    more.back().attrs = {attr};
  }
  return more;
}
std::vector<Sample> real_samples() {
  std::vector<Sample> samples = unary_samples(kRealFloatTypes, -3, 3);
  samples.push_back({.inputs = {given(DType::kFloat32, {6}, {NAN, INFINITY, 0, 9, -9, 1e-7})},
                     .check_grad = false});
  return samples;
}
std::vector<Sample> gelu_samples() { return with(real_samples(), {"approximate", true}); }
std::vector<Sample> swish_samples() { return with(real_samples(), {"beta", 1.7}); }
std::vector<Sample> gelu_grad_samples() {
  std::vector<Sample> samples = {{{f32({}), f32({})}}, {{f32({0, 2}), f32({0, 2})}}};
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back({{of(dtype, {3, 7}), of(dtype, {3, 7}, -3, 3)}});
  }
  samples.push_back({.inputs = {f32({1 << 20}), f32({1 << 20})}, .for_speed = true});
  return with(std::move(samples), {"approximate", true});
}
std::vector<Sample> crelu_samples() {
  std::vector<Sample> samples = {
      {{f32({2, 3})}},
      {{f32({2, 3, 2})}, {{"axis", 1}}},
      {{f32({2, 0})}, {{"axis", 0}}},
      {{of(DType::kFloat64, {5})}},
      {{of(DType::kFloat16, {2, 3})}},
      {{i32({2, 3})}, {{"axis", -2}}},
      {.inputs = {f32({1024, 1024})}, .for_speed = true},
  };
  return samples;
}

LateName late_gelu(const GraphCall& call) {
  return {call.attr("approximate").as_bool() ? "mul_3" : "mul_2"};
}

// A function of its own in TensorFlow, with a gradient of its own: its parts are next to it.
LateName late_swish(const GraphCall& call) {
  const bool is_cast = call.dtype() != DType::kFloat32;
  return {"", is_cast ? "beta Cast mul Sigmoid mul Identity" : "beta mul Sigmoid mul Identity"};
}

}  // namespace

PEN_OP_DEF(gelu) = {
    .name = "Gelu",
    .doc = "x times the probability that a normal number is below x; approximate: by a tanh.",
    .inputs = {in("features", kRealFloatTypes)},
    .attrs = {bool_attr("approximate", false)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = gelu_cpu,
    .grad = gelu_grad_of,
    .saves = {.inputs = kAll},
    .samples = gelu_samples,
    .graph_name = {.late = late_gelu},
};

PEN_OP_DEF(gelu_grad) = {
    .name = "GeluGrad",
    .doc = "gradients times the slope of gelu at features.",
    .inputs = {in("gradients", kRealFloatTypes), in("features", kRealFloatTypes)},
    .attrs = {bool_attr("approximate", false)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = gelu_grad_cpu,
    .grad = gelu_grad_grad,
    .saves = {.inputs = kAll},
    .samples = gelu_grad_samples,
};

PEN_OP_DEF(swish) = {
    .name = "Swish",
    .doc = "x * sigmoid(beta * x).",
    .inputs = {in("features", kRealFloatTypes)},
    .attrs = {float_attr("beta", 1.0)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = swish_cpu,
    .grad = swish_grad,
    .saves = {.inputs = kAll},
    .samples = swish_samples,
    .graph_name = {.scope = "IdentityN", .late = late_swish},
};

PEN_OP_DEF(log_sigmoid) = {
    .name = "LogSigmoid",
    .doc = "log(sigmoid(x)).",
    .inputs = {in("x", kRealFloatTypes)},
    .infer = composed,
    .compose = compose_log_sigmoid,
    .grad = composed_gradient,
    .samples = real_samples,
};

PEN_OP_DEF(crelu) = {
    .name = "CRelu",
    .doc = "relu of x and of -x, one after the other along an axis.",
    .inputs = {in("features", kRealFloatTypes | kSignedTypes)},
    .attrs = {int_attr("axis", -1)},
    .infer = composed,
    .compose = compose_crelu,
    .grad = composed_gradient,
    .samples = crelu_samples,
    .graph_name = {.result = "Relu"},
};

}  // namespace penstock
#endif
