// Norm: the length of vectors and matrices in the usual senses.
#include <charconv>
#include <cmath>
#include <limits>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/composed_reduction.h"

namespace penstock {
namespace {

using Axes = std::span<const int64_t>;

// "euclidean" and "fro" are 2 for vectors; "inf", or a positive number.
double order_of(const ComposeContext& ctx, std::string_view text) {
  if (text == "euclidean" || text == "fro") return 2;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  double order = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), order);
  if (problem != std::errc() || end != text.data() + text.size() || !(order > 0)) {
    ctx.fail("ord must be 'euclidean', 'fro', 'inf' or a positive number, not '", text, "'");
  }
  return order;
}

Tensor magnitude(const Tensor& x) { return kComplexTypes.has(x.dtype()) ? complex_abs(x) : abs(x); }

Tensor vector_norm(const Tensor& x, double order, Axes axes) {
  if (order == 2) {
    const bool is_complex = kComplexTypes.has(x.dtype());
    return sqrt(reduce_sum(is_complex ? square(real(x)) + square(imag(x)) : square(x), axes, true));
  }
  const Tensor sizes = magnitude(x);
  if (order == 1) return reduce_sum(sizes, axes, true);
  if (std::isinf(order)) return reduce_max(sizes, axes, true);
  const Tensor powers = pow(sizes, scalar_like(sizes, order));
  const Tensor sum = reduce_sum(powers, axes, true);
  return pow(sum, scalar_like(sum, 1 / order));
}

// The largest sum of a column (1) or of a row (inf).
Tensor matrix_norm(const Tensor& x, double order, Axes axes) {
  const int64_t added = axes[order == 1 ? 0 : 1];
  const int64_t compared = axes[order == 1 ? 1 : 0];
  return reduce_max(reduce_sum(magnitude(x), {added}, true), {compared}, true);
}

Tensors compose(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const std::string_view text = ctx.attr(0).as_string();
  const Axes axes = ctx.attr(1).as_ints();
  ctx.axes(axes, x.rank());
  if (axes.empty() || axes.size() > 2)
    ctx.fail("axis must be one axis of vectors or two of matrices");
  const double order = order_of(ctx, text);
  const bool is_matrix = axes.size() == 2;
  const bool is_frobenius = text == "euclidean" || text == "fro";
  if (text == "fro" && !is_matrix) ctx.fail("ord 'fro' is for matrices: give two axes");
  if (is_matrix && !is_frobenius && order != 1 && !std::isinf(order)) {
    ctx.fail("ord '", text, "' is not supported for matrices");
  }
  const bool by_matrix = is_matrix && !is_frobenius;
  const Tensor norm = by_matrix ? matrix_norm(x, order, axes) : vector_norm(x, order, axes);
  return {without_reduced_axes(norm, axes, ctx.attr(2).as_bool())};
}

std::vector<Sample> samples() {
  const auto distinct = [](Shape shape) {
    SampleInput input = f32(shape, 0.5, 3);
    input.distinct = true;
    return input;
  };
  return {
      {{f32({3, 4})}},
      {{f32({3, 4})}, {{"axis", {1}}}},
      {{f32({3, 4}, 0.5, 2)}, {{"ord", "1"}, {"axis", {0}}, {"keepdims", true}}},
      {{distinct({3, 4})}, {{"ord", "inf"}, {"axis", {-1}}}},
      {{f32({3, 4}, 0.5, 2)}, {{"ord", "3"}, {"axis", {1}}}},
      {{f32({3, 4}, 0.5, 2)}, {{"ord", "2.5"}}},
      {{f32({2, 3, 4})}, {{"ord", "fro"}, {"axis", {1, 2}}}},
      {{distinct({2, 3, 4})}, {{"ord", "1"}, {"axis", {1, 2}}}},
      {{distinct({2, 3, 4})}, {{"ord", "inf"}, {"axis", {-2, -1}}, {"keepdims", true}}},
      {{f32({0, 3})}, {{"axis", {1}}}},
      {{of(DType::kFloat64, {5})}, {{"ord", "2"}}},
      {{of(DType::kFloat16, {2, 3})}, {{"axis", {1}}}},
      {{of(DType::kComplex64, {2, 3}, 0.5, 2)}, {{"axis", {1}}}},
      {{of(DType::kComplex128, {2, 3}, 0.5, 2)}, {{"ord", "1"}, {"axis", {1}}}},
      {.inputs = {f32({1024, 1024})}, .attrs = {{"axis", {1}}}, .for_speed = true},
  };
}

LateName late_norm(const GraphCall& call) {
  if (!call.attr("keepdims").as_bool()) return {"Squeeze"};
  const std::string_view kind = call.attr("ord").as_string();
  if (kind == "euclidean" || kind == "fro" || kind == "2") return {"Sqrt"};
  const std::span<const int64_t> axes = call.attr("axis").as_ints();
  if (is_given(axes) && axes.size() == 2) return {"Max"};  // of sums of rows or columns
  if (kind == "1") return {"Sum"};
  return {kind == "inf" ? "Max" : "Pow_1"};
}

}  // namespace

PEN_OP_DEF(norm) = {
    .name = "Norm",
    .doc = "The norm of the vectors along an axis, of the matrices of two, or of the whole tensor.",
    .inputs = {in("tensor", kFloatTypes)},
    .attrs = {string_attr("ord", "euclidean"), ints_attr("axis", kAllAxes),
              bool_attr("keepdims", false)},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {.scope = "norm", .late = late_norm},
};

}  // namespace penstock
