// Powers, roots and the reciprocal.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

Gradients square_grad(const GradContext& g) { return {g.dy() * (conjugate(g.input(0)) * 2)}; }

// Roots and reciprocals have gradient ops, which take the output.
Gradients sqrt_grad_of(const GradContext& g) { return {sqrt_grad(conjugate(g.output()), g.dy())}; }
Gradients sqrt_grad_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor y = conjugate(g.input(0));
  const Tensor share = sqrt_grad(y, g.dy());
  if (g.needs(0)) out[0] = negative(share * conjugate(g.input(1)) / y);
  if (g.needs(1)) out[1] = share;
  return out;
}
Gradients rsqrt_grad_of(const GradContext& g) {
  return {rsqrt_grad(conjugate(g.output()), g.dy())};
}
Gradients rsqrt_grad_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor y = conjugate(g.input(0));
  const Tensor ddy = g.dy();
  if (g.needs(0)) out[0] = ddy * conjugate(g.input(1)) * square(y) * -1.5;
  if (g.needs(1)) out[1] = rsqrt_grad(y, ddy);
  return out;
}
Gradients reciprocal_grad_of(const GradContext& g) {
  return {reciprocal_grad(conjugate(g.output()), g.dy())};
}
Gradients reciprocal_grad_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor y = conjugate(g.input(0));
  const Tensor ddy = g.dy();
  if (g.needs(0)) out[0] = ddy * conjugate(g.input(1)) * y * -2;
  if (g.needs(1)) out[1] = reciprocal_grad(y, ddy);
  return out;
}

// Integer exponents are never negative: the result would not be an integer.
constexpr kernels::Formula pow_formula{
    .kind = kernels::Formula::Kind::kBinary,
    .which = static_cast<uint8_t>(BinaryOp::kPower),
    .refused = kernels::Refused::kNegative,
    .problem = "Integers to negative integer powers are not allowed"};
KernelResult pow_cpu(const KernelContext& ctx) {
  if (kernels::has_negative(ctx.inputs[1]) && ctx.outputs[0].size() > 0) {
    return KernelResult::invalid(pow_formula.problem);
  }
  return run_binary<BinaryOp::kPower, kernels::kHeavyGrain>(ctx);
}

// log(x), and 0 where x has none.
Tensor log_or_zero(const Tensor& x) {
  const Tensor zero = scalar_like(x, 0);
  const bool is_complex = kComplexTypes.has(x.dtype());
  const Tensor has_log = is_complex ? not_equal(x, zero) : greater(x, zero);
  return select(has_log, log(select(has_log, x, scalar_like(x, 1))), zero);
}

Gradients pow_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor x = conjugate(g.input(0));
  const Tensor y = conjugate(g.input(1));
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy * y * pow(x, y - 1), g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(dy * conjugate(g.output()) * log_or_zero(x), g.input(1));
  return out;
}

Gradients squared_difference_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dx = g.dy() * ((g.input(0) - g.input(1)) * 2);
  if (g.needs(0)) out[0] = sum_to_like(dx, g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(negative(dx), g.input(1));
  return out;
}

constexpr DTypeSet kPowTypes = kFloatTypes | kSignedTypes;
constexpr DTypeSet kSquaredDifferenceTypes = kFloatTypes | kIndexTypes;

std::vector<Sample> square_samples() { return unary_samples(kNumberTypes); }
std::vector<Sample> positive_samples() { return unary_samples(kFloatTypes, 0.5, 2); }
std::vector<Sample> pow_samples() {
  std::vector<Sample> samples = binary_samples(kPowTypes, 0.5, 3);
  samples.push_back({{f32({2, 3}, 0.5, 2), given(DType::kFloat32, {}, {2})}});
  // A negative base has powers at whole exponents only.
  samples.push_back({.inputs = {f32({5}, -2, 2), given(DType::kFloat32, {5}, {0, 1, 2, 3, -1})},
                     .check_grad = false});
  samples.push_back({.inputs = {given(DType::kFloat32, {6}, {0, 0, -8, INFINITY, NAN, 1}),
                                given(DType::kFloat32, {6}, {0, -1, 0.5, 0, 0, NAN})},
                     .check_grad = false});
  samples.push_back(
      {{given(DType::kInt32, {4}, {-3, 2, 10, 7}), given(DType::kInt32, {4}, {3, 31, 9, 40})}});
  return samples;
}
std::vector<Sample> squared_difference_samples() {
  std::vector<Sample> samples = binary_samples(kSquaredDifferenceTypes);
  // The squared modulus has no complex derivative.
  for (Sample& sample : samples) sample.check_grad = !kComplexTypes.has(sample.inputs[0].dtype);
  return samples;
}
std::vector<Sample> grad_samples() {
  std::vector<Sample> samples = {{{f32({}, 0.5, 2), f32({})}}, {{f32({0, 2}), f32({0, 2})}}};
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64,
                            DType::kComplex64, DType::kComplex128}) {
    samples.push_back({{of(dtype, {3, 7}, 0.5, 2), of(dtype, {3, 7})}});
  }
  samples.push_back({.inputs = {f32({1 << 20}, 0.5, 2), f32({1 << 20})}, .for_speed = true});
  return samples;
}

}  // namespace

PEN_OP_DEF(square) = {
    .name = "Square",
    .doc = "x * x.",
    .inputs = {in("x", kNumberTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSquare>,
    .grad = square_grad,
    .saves = {.inputs = kAll},
    .samples = square_samples,
};

PEN_OP_DEF(sqrt) = {
    .name = "Sqrt",
    .doc = "The square root of x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kSqrt>,
    .grad = sqrt_grad_of,
    .saves = {.outputs = kAll},
    .samples = positive_samples,
};

PEN_OP_DEF(rsqrt) = {
    .name = "Rsqrt",
    .doc = "1 / sqrt(x).",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kRsqrt>,
    .grad = rsqrt_grad_of,
    .saves = {.outputs = kAll},
    .samples = positive_samples,
};

PEN_OP_DEF(reciprocal) = {
    .name = "Reciprocal",
    .doc = "1 / x.",
    .inputs = {in("x", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kReciprocal>,
    .grad = reciprocal_grad_of,
    .saves = {.outputs = kAll},
    .samples = positive_samples,
};

PEN_OP_DEF(pow) = {
    .name = "Pow",
    .doc = "x to the power of y.",
    .inputs = {in("x", kPowTypes), in("y", kPowTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {1, kRealTypes - DType::kFloat64},
    .infer = infer_binary,
    .cpu = {pow_cpu, &pow_formula},
    .grad = pow_grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = pow_samples,
    .operators = {{"pow"}},
};

PEN_OP_DEF(squared_difference) = {
    .name = "SquaredDifference",
    .doc = "(x - y) * conj(x - y).",
    .inputs = {in("x", kSquaredDifferenceTypes), in("y", kSquaredDifferenceTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kSquaredDifference>,
    .grad = squared_difference_grad,
    .saves = {.inputs = kAll},
    .samples = squared_difference_samples,
};

PEN_OP_DEF(sqrt_grad) = {
    .name = "SqrtGrad",
    .doc = "dy / (2 * y): the gradient of sqrt from its output.",
    .inputs = {in("y", kFloatTypes), in("dy", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kSqrtGrad>,
    .grad = sqrt_grad_grad,
    .saves = {.inputs = kAll},
    .samples = grad_samples,
};

PEN_OP_DEF(rsqrt_grad) = {
    .name = "RsqrtGrad",
    .doc = "-dy * y * y * y / 2: the gradient of rsqrt from its output.",
    .inputs = {in("y", kFloatTypes), in("dy", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kRsqrtGrad>,
    .grad = rsqrt_grad_grad,
    .saves = {.inputs = kAll},
    .samples = grad_samples,
};

PEN_OP_DEF(reciprocal_grad) = {
    .name = "ReciprocalGrad",
    .doc = "-dy * y * y: the gradient of reciprocal from its output.",
    .inputs = {in("y", kFloatTypes), in("dy", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_same_shape,
    .cpu = binary_cpu<BinaryOp::kReciprocalGrad>,
    .grad = reciprocal_grad_grad,
    .saves = {.inputs = kAll},
    .samples = grad_samples,
};

}  // namespace penstock
