// The four operations, the negative and the conjugate.
#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;
using kernels::UnaryOp;

// The incoming gradient, unchanged for an input that was not broadcast: a sparse one stays sparse.
Gradient passed(const GradContext& g, size_t i) {
  const Gradient& dy = g.raw_dy();
  if (dy.is_sparse() && g.input(i).shape() == dy.dense_shape()) return dy;
  return sum_to_like(g.dy(), g.input(i));
}

Gradients add_grad(const GradContext& g) {
  Gradients out{{}, {}};
  if (g.needs(0)) out[0] = passed(g, 0);
  if (g.needs(1)) out[1] = passed(g, 1);
  return out;
}

Gradients subtract_grad(const GradContext& g) {
  Gradients out{{}, {}};
  if (g.needs(0)) out[0] = passed(g, 0);
  if (g.needs(1)) out[1] = sum_to_like(negative(g.dy()), g.input(1));
  return out;
}

Gradients multiply_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy * conjugate(g.input(1)), g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(dy * conjugate(g.input(0)), g.input(1));
  return out;
}

Gradients divide_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dx = g.dy() / conjugate(g.input(1));
  if (g.needs(0)) out[0] = sum_to_like(dx, g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(negative(dx * conjugate(g.output())), g.input(1));
  return out;
}

Gradients negative_grad(const GradContext& g) {
  return {with_values(g.raw_dy(), [](const Tensor& dy) { return negative(dy); })};
}
Gradients conj_grad(const GradContext& g) { return {conj(g.dy())}; }

std::vector<Sample> number_samples() { return binary_samples(kNumberTypes); }
std::vector<Sample> divide_samples() { return binary_samples(kFloatTypes, 0.5, 2); }
std::vector<Sample> negative_samples() { return unary_samples(kFloatTypes | kSignedTypes); }
std::vector<Sample> conj_samples() {
  return {{{of(DType::kComplex64, {3, 4})}},
          {{of(DType::kComplex128, {})}},
          {{of(DType::kComplex64, {0})}}};
}

}  // namespace

PEN_OP_DEF(add) = {
    .name = "AddV2",
    .doc = "x + y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative, Trait::kCannotFail},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {-0.0, kRealTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kAdd>,
    .grad = add_grad,
    .samples = number_samples,
    .arithmetic = Arithmetic::kAdd,
    .graph_name = {"Add"},
    .operators = {{"add"}},
};

PEN_OP_DEF(subtract) = {
    .name = "Sub",
    .doc = "x - y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .traits = {Trait::kElementwise, Trait::kCannotFail},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {0.0, kNumberTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kSubtract>,
    .grad = subtract_grad,
    .samples = number_samples,
    .arithmetic = Arithmetic::kSubtract,
    .operators = {{"sub"}},
};

PEN_OP_DEF(multiply) = {
    .name = "Mul",
    .doc = "x * y.",
    .inputs = {in("x", kNumberTypes), in("y", kNumberTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative, Trait::kCannotFail, Trait::kBilinear},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {1, kRealTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kMultiply>,
    .grad = multiply_grad,
    .saves = {.inputs = kAll},
    .samples = number_samples,
    .operators = {{"mul"}},
};

PEN_OP_DEF(divide) = {
    .name = "RealDiv",
    .doc = "x / y, of real or complex numbers.",
    .inputs = {in("x", kFloatTypes), in("y", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .neutral = {1, kRealFloatTypes},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kDivide>,
    .grad = divide_grad,
    .saves = {.inputs = 0b10, .outputs = kAll},
    .samples = divide_samples,
    .operators = {{"truediv"}},
};

PEN_OP_DEF(negative) = {
    .name = "Neg",
    .doc = "-x.",
    .inputs = {in("x", kFloatTypes | kSignedTypes)},
    .traits = {Trait::kElementwise, Trait::kInvolution, Trait::kCannotFail},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kNegative>,
    .grad = negative_grad,
    .samples = negative_samples,
    .operators = {{"neg"}},
};

PEN_OP_DEF(conj) = {
    .name = "Conj",
    .doc = "The complex conjugate.",
    .inputs = {in("input", kComplexTypes)},
    .traits = {Trait::kElementwise, Trait::kInvolution},
    .forwards = {{0, 0}},
    .infer = infer_unary,
    .cpu = unary_cpu<UnaryOp::kConj>,
    .grad = conj_grad,
    .samples = conj_samples,
};

}  // namespace penstock
