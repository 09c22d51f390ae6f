// Activation functions with their own gradient ops.
#include <cmath>

#include "ops/elementwise.h"

#define HWY_TARGET_INCLUDE "ops/activations.cc"
#include "kernels/targets.h"

#include "kernels/function-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

struct Selu {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto scale = number(d, 1.0507009873554804934193349852946);
    const auto scale_alpha = number(d, 1.7580993408473768599402175208123);
    const auto below = hn::Mul(scale_alpha, Expm1::call(d, hn::Min(x, hn::Zero(d))));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, hn::Mul(scale, x));
  }
};
PEN_UNARY_LOOPS(selu, Selu)

struct SoftplusGrad {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> dy, V<D> x) {
    return hn::Mul(dy, Sigmoid::call(d, x));
  }
};
PEN_BINARY_LOOPS(softplus_grad, SoftplusGrad)

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
PEN_UNARY_FUNCTION(selu)
PEN_BINARY_FUNCTION(softplus_grad)

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::TernaryOp;
using kernels::UnaryOp;

Gradients tanh_grad_of(const GradContext& g) { return {tanh_grad(conjugate(g.output()), g.dy())}; }
Gradients tanh_grad_grad(const GradContext& g) {
  const Tensor y = conjugate(g.input(0));
  const Tensor ddy = g.dy();
  Gradients out{{}, {}};
  if (g.needs(0)) out[0] = ddy * conjugate(g.input(1)) * y * -2;
  if (g.needs(1)) out[1] = tanh_grad(y, ddy);
  return out;
}

Gradients sigmoid_grad_of(const GradContext& g) {
  return {sigmoid_grad(conjugate(g.output()), g.dy())};
}
Gradients sigmoid_grad_grad(const GradContext& g) {
  const Tensor y = conjugate(g.input(0));
  const Tensor ddy = g.dy();
  Gradients out{{}, {}};
  if (g.needs(0)) out[0] = ddy * conjugate(g.input(1)) * (1 - y * 2);
  if (g.needs(1)) out[1] = sigmoid_grad(y, ddy);
  return out;
}

// The output is positive exactly where the input is, so either works; the same holds for relu6.
Gradients relu_grad_of(const GradContext& g) { return {relu_grad(g.dy(), g.output())}; }
// A piecewise constant slope has the derivative 0.
Gradients by_jumps(const GradContext& g, const Tensor& through) {
  return {through, g.needs(1) ? Gradient(zeros_like(g.input(1))) : Gradient()};
}
Gradients relu_grad_grad(const GradContext& g) {
  return by_jumps(g, relu_grad(g.dy(), g.input(1)));
}
Gradients relu6_grad_of(const GradContext& g) { return {relu6_grad(g.dy(), g.output())}; }
Gradients relu6_grad_grad(const GradContext& g) {
  return by_jumps(g, relu6_grad(g.dy(), g.input(1)));
}

KernelResult leaky_relu_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  Parameter alpha(x.dtype, ctx.attrs[0].as_float());
  kernels::run_binary(kernels::binary_loop(BinaryOp::kLeakyRelu, x.dtype), x, alpha.view(),
                      ctx.outputs[0]);
  return KernelResult::ok();
}
Gradients leaky_relu_grad_of(const GradContext& g) {
  return {leaky_relu_grad(g.dy(), g.input(0), g.attr(0).as_float())};
}
KernelResult leaky_relu_grad_cpu(const KernelContext& ctx) {
  const View& dy = ctx.inputs[0];
  Parameter alpha(dy.dtype, ctx.attrs[0].as_float());
  kernels::run_ternary(kernels::ternary_loop(TernaryOp::kLeakyReluGrad, dy.dtype), dy,
                       ctx.inputs[1], alpha.view(), ctx.outputs[0]);
  return KernelResult::ok();
}
Gradients leaky_relu_grad_grad(const GradContext& g) {
  return by_jumps(g, leaky_relu_grad(g.dy(), g.input(1), g.attr(0).as_float()));
}

// Below 0 both have a slope that is the output plus a constant.
Gradients by_slope(const GradContext& g, const Tensor& through) {
  Gradients out{{}, {}};
  const Tensor& y = g.input(1);
  const Tensor zero = scalar_like(y, 0);
  if (g.needs(0)) out[0] = through;
  if (g.needs(1)) out[1] = select(less(y, zero), g.dy() * g.input(0), zero);
  return out;
}
Gradients elu_grad_of(const GradContext& g) { return {elu_grad(g.dy(), g.output())}; }
Gradients elu_grad_grad(const GradContext& g) { return by_slope(g, elu_grad(g.dy(), g.input(1))); }
Gradients selu_grad_of(const GradContext& g) { return {selu_grad(g.dy(), g.output())}; }
Gradients selu_grad_grad(const GradContext& g) {
  return by_slope(g, selu_grad(g.dy(), g.input(1)));
}

Gradients softplus_grad_of(const GradContext& g) { return {softplus_grad(g.dy(), g.input(0))}; }
Gradients softplus_grad_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor& x = g.input(1);
  if (g.needs(0)) out[0] = softplus_grad(g.dy(), x);
  if (g.needs(1)) out[1] = sigmoid_grad(sigmoid(x), g.dy() * g.input(0));
  return out;
}

Gradients softsign_grad_of(const GradContext& g) { return {softsign_grad(g.dy(), g.input(0))}; }
Gradients softsign_grad_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor& x = g.input(1);
  const Tensor through = softsign_grad(g.dy(), x);
  if (g.needs(0)) out[0] = through;
  if (g.needs(1)) out[1] = through * g.input(0) * sign(x) * -2 / (abs(x) + 1);
  return out;
}

std::vector<Sample> with_special(std::vector<Sample> samples) {
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back(
        {.inputs = {given(dtype, {8}, {NAN, INFINITY, -INFINITY, 0, 90, -90, 1e-7, -1e30})},
         .check_grad = false});
  }
  return samples;
}
std::vector<Sample> smooth_samples() { return with_special(unary_samples(kFloatTypes, -3, 3)); }
std::vector<Sample> real_samples() { return with_special(unary_samples(kRealFloatTypes, -3, 3)); }
std::vector<Sample> relu_samples() { return with_special(unary_samples(kRealTypes)); }
std::vector<Sample> relu6_samples() { return with_special(unary_samples(kRealTypes, -4, 9)); }

std::vector<Sample> leaky_relu_samples() {
  std::vector<Sample> samples = real_samples();
  samples.push_back({{f32({3, 5})}, {{"alpha", 0.5}}});
  samples.push_back({{of(DType::kBFloat16, {3, 5})}, {{"alpha", -1.5}}});
  samples.push_back({{of(DType::kFloat64, {7})}, {{"alpha", 2.0}}});
  return samples;
}

// Two tensors of one shape, of every dtype of `dtypes`.
std::vector<Sample> pairs(DTypeSet dtypes, double low, double high) {
  std::vector<Sample> samples = {{{f32({2, 3}), f32({2, 3}, low, high)}},
                                 {{f32({0}), f32({0})}},
                                 {{f32({}), f32({}, low, high)}}};
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt32,
                            DType::kUInt8, DType::kComplex64, DType::kComplex128}) {
    if (!dtypes.has(dtype)) continue;
    const double least = kUnsignedTypes.has(dtype) ? 0 : low;
    samples.push_back({{of(dtype, {3, 5}, 0, 9), of(dtype, {3, 5}, least, high)}});
  }
  samples.push_back({.inputs = {f32({1 << 20}), f32({1 << 20}, low, high)}, .for_speed = true});
  return samples;
}
std::vector<Sample> relu_grad_samples() { return pairs(kRealTypes, -3, 9); }
std::vector<Sample> real_grad_samples() { return pairs(kRealFloatTypes, -1, 3); }
std::vector<Sample> leaky_relu_grad_samples() {
  std::vector<Sample> samples = real_grad_samples();
  for (Sample& sample : samples) sample.attrs = {{"alpha", 0.3}};
  return samples;
}
std::vector<Sample> output_grad_samples() { return pairs(kFloatTypes, 0.1, 0.9); }

}  // namespace

PEN_OP_DEF(tanh) = {
    .name = "Tanh",
    .doc = "The hyperbolic tangent of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kTanh, kernels::kHeavyGrain>,
    .grad = tanh_grad_of,
    .saves = {.outputs = kAll},
    .samples = smooth_samples,
};

PEN_OP_DEF(tanh_grad) = {
    .name = "TanhGrad",
    .doc = "dy * (1 - y * y): the gradient of tanh from its output.",
    .inputs = {in("y", kFloatTypes), in("dy", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kTanhGrad>,
    .grad = tanh_grad_grad,
    .saves = {.inputs = kAll},
    .samples = output_grad_samples,
};

PEN_OP_DEF(sigmoid) = {
    .name = "Sigmoid",
    .doc = "1 / (1 + exp(-x)).",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSigmoid, kernels::kHeavyGrain>,
    .grad = sigmoid_grad_of,
    .saves = {.outputs = kAll},
    .samples = smooth_samples,
};

PEN_OP_DEF(sigmoid_grad) = {
    .name = "SigmoidGrad",
    .doc = "dy * y * (1 - y): the gradient of sigmoid from its output.",
    .inputs = {in("y", kFloatTypes), in("dy", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kSigmoidGrad>,
    .grad = sigmoid_grad_grad,
    .saves = {.inputs = kAll},
    .samples = output_grad_samples,
};

PEN_OP_DEF(relu) = {
    .name = "Relu",
    .doc = "max(x, 0).",
    .inputs = {in("features", kRealTypes)},
    .traits = {Trait::kElementwise, Trait::kIdempotent},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kRelu>,
    .grad = relu_grad_of,
    .saves = {.outputs = kAll},
    .samples = relu_samples,
};

PEN_OP_DEF(relu_grad) = {
    .name = "ReluGrad",
    .doc = "gradients where features are positive, 0 elsewhere.",
    .inputs = {in("gradients", kRealTypes), in("features", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kReluGrad>,
    .grad = relu_grad_grad,
    .saves = {.inputs = 0b10},
    .samples = relu_grad_samples,
};

PEN_OP_DEF(relu6) = {
    .name = "Relu6",
    .doc = "min(max(x, 0), 6).",
    .inputs = {in("features", kRealTypes)},
    .traits = {Trait::kElementwise, Trait::kIdempotent},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kRelu6>,
    .grad = relu6_grad_of,
    .saves = {.outputs = kAll},
    .samples = relu6_samples,
};

PEN_OP_DEF(relu6_grad) = {
    .name = "Relu6Grad",
    .doc = "gradients where features are between 0 and 6, 0 elsewhere.",
    .inputs = {in("gradients", kRealTypes), in("features", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kRelu6Grad>,
    .grad = relu6_grad_grad,
    .saves = {.inputs = 0b10},
    .samples = relu_grad_samples,
};

PEN_OP_DEF(leaky_relu) = {
    .name = "LeakyRelu",
    .doc = "x where it is positive, x * alpha elsewhere.",
    .inputs = {in("features", kRealFloatTypes)},
    .attrs = {float_attr("alpha", 0.2)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = leaky_relu_cpu,
    .grad = leaky_relu_grad_of,
    .saves = {.inputs = kAll},
    .samples = leaky_relu_samples,
};

PEN_OP_DEF(leaky_relu_grad) = {
    .name = "LeakyReluGrad",
    .doc = "gradients where features are positive, gradients * alpha elsewhere.",
    .inputs = {in("gradients", kRealFloatTypes), in("features", kRealFloatTypes)},
    .attrs = {float_attr("alpha", 0.2)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = leaky_relu_grad_cpu,
    .grad = leaky_relu_grad_grad,
    .saves = {.inputs = 0b10},
    .samples = leaky_relu_grad_samples,
};

PEN_OP_DEF(elu) = {
    .name = "Elu",
    .doc = "x where it is positive, exp(x) - 1 elsewhere.",
    .inputs = {in("features", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kElu, kernels::kHeavyGrain>,
    .grad = elu_grad_of,
    .saves = {.outputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(elu_grad) = {
    .name = "EluGrad",
    .doc = "The gradient of elu from its outputs.",
    .inputs = {in("gradients", kRealFloatTypes), in("outputs", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kEluGrad>,
    .grad = elu_grad_grad,
    .saves = {.inputs = kAll},
    .samples = real_grad_samples,
};

PEN_OP_DEF(selu) = {
    .name = "Selu",
    .doc = "elu with slope and scale that keep mean 0 and variance 1.",
    .inputs = {in("features", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<kernels::selu, kernels::kHeavyGrain>,
    .grad = selu_grad_of,
    .saves = {.outputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(selu_grad) = {
    .name = "SeluGrad",
    .doc = "The gradient of selu from its outputs.",
    .inputs = {in("gradients", kRealFloatTypes), in("outputs", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kSeluGrad>,
    .grad = selu_grad_grad,
    .saves = {.inputs = kAll},
    .samples = real_grad_samples,
};

PEN_OP_DEF(softplus) = {
    .name = "Softplus",
    .doc = "log(1 + exp(x)).",
    .inputs = {in("features", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSoftplus, kernels::kHeavyGrain>,
    .grad = softplus_grad_of,
    .saves = {.inputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(softplus_grad) = {
    .name = "SoftplusGrad",
    .doc = "gradients / (1 + exp(-features)).",
    .inputs = {in("gradients", kRealFloatTypes), in("features", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<kernels::softplus_grad, kernels::kHeavyGrain>,
    .grad = softplus_grad_grad,
    .saves = {.inputs = kAll},
    .samples = real_grad_samples,
};

PEN_OP_DEF(softsign) = {
    .name = "Softsign",
    .doc = "x / (1 + |x|).",
    .inputs = {in("features", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSoftsign>,
    .grad = softsign_grad_of,
    .saves = {.inputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(softsign_grad) = {
    .name = "SoftsignGrad",
    .doc = "gradients / (1 + |features|) squared.",
    .inputs = {in("gradients", kRealFloatTypes), in("features", kRealFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kSoftsignGrad>,
    .grad = softsign_grad_grad,
    .saves = {.inputs = kAll},
    .samples = real_grad_samples,
};

}  // namespace penstock
#endif
