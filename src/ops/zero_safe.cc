// Products and quotients that are 0 if one operand is 0, even if the other is infinite or NaN.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;

Gradients divide_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor y = conjugate(g.input(1));
  const Tensor dx = div_no_nan(g.dy(), y);
  if (g.needs(0)) out[0] = sum_to_like(dx, g.input(0));
  if (g.needs(1)) {
    out[1] = sum_to_like(negative(dx * div_no_nan(conjugate(g.input(0)), y)), g.input(1));
  }
  return out;
}

Gradients multiply_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(multiply_no_nan(dy, conjugate(g.input(1))), g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(multiply_no_nan(conjugate(g.input(0)), dy), g.input(1));
  return out;
}

// 1 where x is not 0: what the product has instead of x in the derivative by x.
Tensor is_not_zero(const Tensor& x) { return cast(not_equal(x, scalar_like(x, 0)), x.dtype()); }

Gradients xdivy_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor x = conjugate(g.input(0));
  const Tensor y = conjugate(g.input(1));
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy * xdivy(is_not_zero(x), y), x);
  if (g.needs(1)) out[1] = sum_to_like(dy * xdivy(negative(x), square(y)), y);
  return out;
}

Gradients xlogy_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor x = conjugate(g.input(0));
  const Tensor y = conjugate(g.input(1));
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy * xlogy(is_not_zero(x), y), x);
  if (g.needs(1)) out[1] = sum_to_like(dy * xdivy(x, y), y);
  return out;
}

Gradients xlog1py_grad(const GradContext& g) {
  Gradients out{{}, {}};
  const Tensor x = conjugate(g.input(0));
  const Tensor y = conjugate(g.input(1));
  const Tensor dy = g.dy();
  if (g.needs(0)) out[0] = sum_to_like(dy * xlog1py(is_not_zero(x), y), x);
  if (g.needs(1)) out[1] = sum_to_like(dy * xdivy(x, y + 1), y);
  return out;
}

std::vector<Sample> samples() {
  std::vector<Sample> samples = binary_samples(kFloatTypes, 0.5, 2);
  for (const DType dtype : {DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    samples.push_back({.inputs = {given(dtype, {8}, {NAN, 1, INFINITY, 0, 0, 0, 2, NAN}),
                                  given(dtype, {8}, {0, 0, 0, NAN, -2, INFINITY, NAN, 1})},
                       .check_grad = false});
  }
  samples.push_back({.inputs = {given(DType::kComplex64, {3}, {0, 1, 0}),
                                given(DType::kComplex64, {3}, {0, 0, 1})},
                     .check_grad = false});
  return samples;
}

}  // namespace

PEN_OP_DEF(div_no_nan) = {
    .name = "DivNoNan",
    .doc = "x / y, and 0 where y is 0.",
    .inputs = {in("x", kFloatTypes), in("y", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kDivideNoNan>,
    .grad = divide_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"div_no_nan"},
};

PEN_OP_DEF(multiply_no_nan) = {
    .name = "MulNoNan",
    .doc = "x * y, and 0 where y is 0.",
    .inputs = {in("x", kFloatTypes), in("y", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kMultiplyNoNan>,
    .grad = multiply_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"multiply_no_nan"},
};

PEN_OP_DEF(xdivy) = {
    .name = "Xdivy",
    .doc = "x / y, and 0 where x is 0.",
    .inputs = {in("x", kFloatTypes), in("y", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kXdivy, kernels::kHeavyGrain>,
    .grad = xdivy_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"xdivy", "Xdivy"},
};

PEN_OP_DEF(xlogy) = {
    .name = "Xlogy",
    .doc = "x * log(y), and 0 where x is 0.",
    .inputs = {in("x", kFloatTypes), in("y", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kXlogy, kernels::kHeavyGrain>,
    .grad = xlogy_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(xlog1py) = {
    .name = "Xlog1py",
    .doc = "x * log(1 + y), and 0 where x is 0.",
    .inputs = {in("x", kFloatTypes), in("y", kFloatTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kXlog1py, kernels::kHeavyGrain>,
    .grad = xlog1py_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {"xlog1py", "Xlog1py"},
};

}  // namespace penstock
