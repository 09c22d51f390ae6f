// The larger and the smaller of two.
#include <cmath>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::BinaryOp;

// The chosen operand receives the gradient; x if both are equal.
Gradients chosen(const GradContext& g, const Tensor& x_is_chosen) {
  Gradients out{{}, {}};
  const Tensor dy = g.dy();
  const Tensor zero = scalar_like(dy, 0);
  if (g.needs(0)) out[0] = sum_to_like(select(x_is_chosen, dy, zero), g.input(0));
  if (g.needs(1)) out[1] = sum_to_like(select(x_is_chosen, zero, dy), g.input(1));
  return out;
}
Gradients maximum_grad(const GradContext& g) {
  return chosen(g, greater_equal(g.input(0), g.input(1)));
}
Gradients minimum_grad(const GradContext& g) {
  return chosen(g, less_equal(g.input(0), g.input(1)));
}

std::vector<Sample> samples() {
  std::vector<Sample> samples = binary_samples(kRealTypes);
  samples.push_back({.inputs = {given(DType::kFloat32, {5}, {NAN, 1, INFINITY, -INFINITY, 2}),
                                given(DType::kFloat32, {5}, {1, NAN, 1, 1, 2})},
                     .check_grad = false});
  return samples;
}

}  // namespace

PEN_OP_DEF(maximum) = {
    .name = "Maximum",
    .doc = "The larger of x and y; NaN when either is.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kMaximum>,
    .grad = maximum_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(minimum) = {
    .name = "Minimum",
    .doc = "The smaller of x and y; NaN when either is.",
    .inputs = {in("x", kRealTypes), in("y", kRealTypes)},
    .traits = {Trait::kElementwise, Trait::kCommutative},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_binary,
    .cpu = binary_cpu<BinaryOp::kMinimum>,
    .grad = minimum_grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

}  // namespace penstock
