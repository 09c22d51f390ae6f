// Prod: the product over axes.
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "ops/reduction.h"

namespace penstock {
namespace {

using kernels::Reduction;
using Ints = std::vector<int64_t>;

// The product of all other elements along `axis`, correct even if some are zero.
Tensor product_of_others(const Tensor& x, int axis) {
  Tensor others = cumprod(x, axis, true, false) * cumprod(x, axis, true, true);
  return kComplexTypes.has(x.dtype()) ? conj(std::move(others)) : others;
}

// A product over several axes is one over the first of them, then one over the next, and so on.
Gradients grad(const GradContext& g) {
  SmallVector<Tensor, kMaxRank> factors;
  SmallVector<int, kMaxRank> axes;
  Tensor x = g.input(0);
  const uint32_t reduced = reduced_axes(g.attrs(), x.rank());
  for (int axis = 0; axis < g.input(0).rank(); ++axis) {
    if (((reduced >> axis) & 1) == 0) continue;
    factors.push_back(x);
    axes.push_back(axis);
    x = reduce_prod(x, {axis}, true);
  }
  Tensor dx = with_reduced_axes(g, g.dy());
  for (size_t i = axes.size(); i-- > 0;) dx = dx * product_of_others(factors[i], axes[i]);
  return {dx};
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 3, 2})}},
      {{f32({2, 3, 4})}, {{"axis", Ints{1}}}},
      {{f32({2, 3})}, {{"axis", Ints{}}}},
      {{f32({2, 3, 2})}, {{"axis", Ints{-1, 0}}, {"keepdims", true}}},
      {{given(DType::kFloat32, {2, 3}, {1, 0, 2, 0, 0, 3})}, {{"axis", Ints{1}}}},
      {{given(DType::kFloat32, {2, 3}, {1, 0, 2, 1.5, 0.5, 3})}},
      {{f32({})}},
      {{f32({2, 0, 3})}, {{"axis", Ints{1}}}, 0, false},
      {{of(DType::kFloat64, {5, 7}, 0.5, 1.5)}, {{"axis", Ints{0}}}},
      {{of(DType::kFloat64, {2, 35}, 0.5, 1.5)}, {{"axis", Ints{1}}}},
      {{of(DType::kFloat16, {4, 3})}, {{"axis", Ints{1}}}},
      {{of(DType::kBFloat16, {4, 3})}, {{"axis", Ints{0}}}},
      {{i32({4, 5})}, {{"axis", Ints{0}}}},
      {{of(DType::kInt64, {7}, -5, 6)}},
      {{of(DType::kUInt8, {3, 4}, 0, 5)}, {{"axis", Ints{1}}}},
      {{of(DType::kComplex64, {3, 4})}, {{"axis", Ints{0}}}},
      {{of(DType::kComplex128, {3, 4})}, {{"axis", Ints{1}}}},
      {.inputs = {f32({1024, 1024})}, .attrs = {{"axis", Ints{1}}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(reduce_prod) = {
    .name = "Prod",
    .doc = "The product over the given axes, or over all of them.",
    .inputs = {in("input", kNumberTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kProd>,
    .grad = grad,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

}  // namespace penstock
