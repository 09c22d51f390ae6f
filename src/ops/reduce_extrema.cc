// Max and Min over axes, and the same for bool: Any and All.
#include <limits>

#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "ops/reduction.h"

namespace penstock {
namespace {

using kernels::Reduction;
using Ints = std::vector<int64_t>;

// Elements that tie share the gradient evenly.
Gradients grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor extremum = with_reduced_axes(g, g.output());
  const Tensor chosen = cast(equal(x, extremum), x.dtype());
  const Tensor ties = reduce_sum(chosen, g.attr(0).as_ints(), true);
  return {chosen * (with_reduced_axes(g, g.dy()) / ties)};
}

std::vector<Sample> samples() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {{distinct(DType::kFloat32, {2, 3, 4})}},
      {{distinct(DType::kFloat32, {2, 3, 4})}, {{"axis", Ints{1}}}},
      {{distinct(DType::kFloat32, {2, 3, 4})}, {{"axis", Ints{-1, 0}}, {"keepdims", true}}},
      {{distinct(DType::kFloat32, {3, 35})}, {{"axis", Ints{1}}}},
      {{distinct(DType::kFloat32, {})}},
      {{distinct(DType::kFloat32, {2, 3})}, {{"axis", Ints{}}}},
      {{given(DType::kFloat32, {2, 3}, {1, nan, 2, nan, -3, -4})}, {{"axis", Ints{1}}}, 0, false},
      {{given(DType::kFloat32, {2, 3}, {1, nan, 2, nan, -3, -4})}, {{"axis", Ints{0}}}, 0, false},
      {{f32({0, 2})}, {{"axis", Ints{0}}}, 0, false},
      {{i32({2, 0})}, {{"axis", Ints{1}}}},
      {{distinct(DType::kFloat64, {5, 7})}, {{"axis", Ints{0}}}},
      {{distinct(DType::kFloat16, {4, 5})}, {{"axis", Ints{1}}}},
      {{distinct(DType::kBFloat16, {4, 5})}, {{"axis", Ints{0}}}, 0, false},
      {{i32({4, 5})}, {{"axis", Ints{0}}}},
      {{of(DType::kInt64, {19}, -50, 50)}},
      {{of(DType::kInt8, {3, 4}, -20, 20)}, {{"axis", Ints{1}}}},
      {{of(DType::kUInt8, {3, 4}, 0, 50)}, {{"axis", Ints{1}}}},
      {.inputs = {f32({1024, 1024})}, .attrs = {{"axis", Ints{1}}}, .for_speed = true},
  };
}

std::vector<Sample> samples_bool() {
  return {
      {{of(DType::kBool, {2, 3, 4})}},
      {{of(DType::kBool, {4, 2})}, {{"axis", Ints{-1}}}},
      {{of(DType::kBool, {2, 3, 4})}, {{"axis", Ints{0, 2}}, {"keepdims", true}}},
      {{of(DType::kBool, {3, 0})}, {{"axis", Ints{1}}}},
      {{of(DType::kBool, {})}},
      {.inputs = {of(DType::kBool, {1024, 1024})}, .attrs = {{"axis", Ints{1}}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(reduce_max) = {
    .name = "Max",
    .doc = "The largest element over the given axes, or over all of them; NaN if there is one.",
    .inputs = {in("input", kRealTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .traits = {Trait::kCannotFail},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kMax>,
    .grad = grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(reduce_min) = {
    .name = "Min",
    .doc = "The smallest element over the given axes, or over all of them; NaN if there is one.",
    .inputs = {in("input", kRealTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .traits = {Trait::kCannotFail},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kMin>,
    .grad = grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(reduce_any) = {
    .name = "Any",
    .doc = "Whether any element over the given axes, or over all of them, is true.",
    .inputs = {in("input", DType::kBool)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kMax>,
    .grad = no_gradient,
    .samples = samples_bool,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(reduce_all) = {
    .name = "All",
    .doc = "Whether all elements over the given axes, or over all of them, are true.",
    .inputs = {in("input", DType::kBool)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = infer_reduction,
    .cpu = run_reduction<Reduction::kMin>,
    .grad = no_gradient,
    .samples = samples_bool,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

}  // namespace penstock
