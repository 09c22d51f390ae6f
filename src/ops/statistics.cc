// Composed reductions: variance, norms, logsumexp, counts and moments.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/composed_reduction.h"

namespace penstock {
namespace {

Tensor finish(const ComposeContext& ctx, const Tensor& reduced) {
  return without_reduced_axes(reduced, ctx.attr(0).as_ints(), ctx.attr(1).as_bool());
}
std::span<const int64_t> checked_axes(const ComposeContext& ctx) {
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  ctx.axes(axes, ctx.tensor(0).rank());
  return axes;
}

// The largest element is factored out of the sum, so that nothing overflows.
Tensors compose_logsumexp(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const std::span<const int64_t> axes = checked_axes(ctx);
  const Tensor largest = reduce_max(x, axes, true);
  const Tensor shift = stop_gradient(select(is_finite(largest), largest, scalar_like(largest, 0)));
  return {finish(ctx, log(reduce_sum(exp(x - shift), axes, true)) + shift)};
}

Tensor squared_size(const Tensor& x) {
  return kComplexTypes.has(x.dtype()) ? square(real(x)) + square(imag(x)) : square(x);
}
Tensor variance(const Tensor& x, std::span<const int64_t> axes, bool keepdims) {
  return reduce_mean(squared_size(x - reduce_mean(x, axes, true)), axes, keepdims);
}
Tensors compose_variance(const ComposeContext& ctx) {
  return {variance(ctx.tensor(0), checked_axes(ctx), ctx.attr(1).as_bool())};
}
Tensors compose_std(const ComposeContext& ctx) {
  return {sqrt(variance(ctx.tensor(0), checked_axes(ctx), ctx.attr(1).as_bool()))};
}

// Computed in a real dtype that has room for the squares.
Tensors compose_euclidean_norm(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const DType dtype = x.dtype();
  const std::span<const int64_t> axes = checked_axes(ctx);
  Tensor wide = x;
  if (kHalfTypes.has(dtype)) wide = cast(x, DType::kFloat32);
  if (kIntTypes.has(dtype)) wide = cast(x, DType::kFloat64);
  const Tensor length = sqrt(reduce_sum(squared_size(wide), axes, ctx.attr(1).as_bool()));
  if (kComplexTypes.has(dtype)) return {complex(length, scalar_like(length, 0))};
  return {cast(length, dtype)};
}

Tensor is_not_zero(const Tensor& x) {
  if (x.dtype() == DType::kBool) return x;
  if (x.dtype() != DType::kString) return not_equal(x, scalar_like(x, 0));
  const std::string_view empty[] = {""};
  return not_equal(x, Tensor::from_strings(empty, Shape{}));
}
Tensors compose_count_nonzero(const ComposeContext& ctx) {
  const DType dtype = ctx.attr(2).as_dtype();
  if (!kNumberTypes.has(dtype)) ctx.fail_type("cannot count in ", dtype);
  const Tensor ones = cast(is_not_zero(ctx.tensor(0)), DType::kInt64);
  return {cast(reduce_sum(ones, checked_axes(ctx), ctx.attr(1).as_bool()), dtype)};
}
Tensors compose_zero_fraction(const ComposeContext& ctx) {
  return {1 - reduce_mean(cast(is_not_zero(ctx.tensor(0)), DType::kFloat32))};
}

DType stable(DType dtype) { return kHalfTypes.has(dtype) ? DType::kFloat32 : dtype; }

Tensors compose_moments(const ComposeContext& ctx) {
  const DType dtype = ctx.dtype(0);
  const Tensor x = cast(ctx.tensor(0), stable(dtype));
  const std::span<const int64_t> axes = checked_axes(ctx);
  const Tensor mean = reduce_mean(x, axes, true);
  const Tensor spread = reduce_mean(squared_difference(x, mean), axes, true);
  return {cast(finish(ctx, mean), dtype), cast(finish(ctx, spread), dtype)};
}

Tensors compose_weighted_moments(const ComposeContext& ctx) {
  const DType dtype = ctx.dtype(0);
  const Tensor x = cast(ctx.tensor(0), stable(dtype));
  const Tensor weights = cast(ctx.tensor(1), stable(dtype));
  const std::span<const int64_t> axes = checked_axes(ctx);
  const Tensor all_weights = weights + zeros_like(x);
  if (all_weights.rank() != x.rank()) {
    ctx.fail("the weights' shape ", weights.shape(), " has more dimensions than x's ", x.shape());
  }
  const Tensor share = reciprocal(reduce_sum(all_weights, axes, true));
  const Tensor mean = reduce_sum(weights * x, axes, true) * share;
  const Tensor spread = reduce_sum(weights * squared_difference(x, mean), axes, true) * share;
  return {cast(finish(ctx, mean), dtype), cast(finish(ctx, spread), dtype)};
}

Tensors compose_normalize_moments(const ComposeContext& ctx) {
  const Tensor share = reciprocal(ctx.tensor(0));
  const Tensor shifted = ctx.tensor(1) * share;
  const Tensor spread = ctx.tensor(2) * share - square(shifted);
  return {shifted + ctx.tensor(3), spread};
}

std::vector<Sample> reduction_samples(DTypeSet dtypes, double low, double high) {
  std::vector<Sample> samples = {
      {{f32({2, 3, 4}, low, high)}},
      {{f32({2, 3, 4}, low, high)}, {{"axis", {1}}}},
      {{f32({2, 3, 4}, low, high)}, {{"axis", {-1, 0}}, {"keepdims", true}}},
      {{f32({3, 0})}, {{"axis", {0}}}},
      {{f32({2, 3}, low, high)}, {{"axis", std::vector<int64_t>{}}}, 0, false},
  };
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kComplex64,
                            DType::kComplex128, DType::kInt32, DType::kUInt8}) {
    if (!dtypes.has(dtype)) continue;
    samples.push_back(
        {{of(dtype, {4, 5}, kUnsignedTypes.has(dtype) ? 0 : low, high)}, {{"axis", {1}}}});
  }
  samples.push_back({.inputs = {f32({1024, 1024})}, .attrs = {{"axis", {1}}}, .for_speed = true});
  return samples;
}
std::vector<Sample> logsumexp_samples() {
  std::vector<Sample> samples = reduction_samples(kRealFloatTypes, -2, 2);
  samples.push_back({{f32({3, 4}, 900, 1000)}, {{"axis", {1}}}});
  samples.push_back({.inputs = {given(DType::kFloat32, {4, 2},
                                      {INFINITY, 1, -INFINITY, -INFINITY, NAN, 1, -INFINITY, 2})},
                     .attrs = {{"axis", {1}}},
                     .check_grad = false});
  return samples;
}
std::vector<Sample> variance_samples() { return reduction_samples(kFloatTypes, -2, 2); }
std::vector<Sample> norm_samples() { return reduction_samples(kNumberTypes, -5, 5); }
std::vector<Sample> count_samples() {
  std::vector<Sample> samples;
  for (const DType dtype : {DType::kBool, DType::kFloat16, DType::kFloat32, DType::kFloat64,
                            DType::kInt32, DType::kUInt8, DType::kComplex64}) {
    samples.push_back({{given(dtype, {2, 3}, {0, 1, 1, 0, 0, 1})}, {{"axis", {1}}}});
  }
  samples.push_back({{{.dtype = DType::kString, .shape = {3}, .strings = {"", "a", ""}}}});
  samples.push_back(
      {{i32({2, 3})}, {{"axis", {-2}}, {"keepdims", true}, {"dtype", DType::kInt32}}});
  samples.push_back({{f32({0, 3})}, {{"dtype", DType::kFloat32}}});
  samples.push_back({{f32({})}});
  samples.push_back({.inputs = {f32({1024, 1024})}, .for_speed = true});
  return samples;
}
std::vector<Sample> zero_fraction_samples() {
  return {
      {{given(DType::kFloat32, {2, 3}, {0, 1, 2, 0, 0, 3})}},
      {{given(DType::kInt64, {4}, {0, 1, 2, 0})}},
      {{given(DType::kFloat16, {4}, {0, 1, 2, 0})}},
      {{f32({0})}},
      {{i32({})}},
      {.inputs = {f32({1024, 1024})}, .for_speed = true},
  };
}
std::vector<Sample> moments_samples() {
  return {
      {{f32({2, 3, 4})}, {{"axes", {0, 1}}}},
      {{f32({2, 3, 4})}, {{"axes", {-1}}, {"keepdims", true}}},
      {{f32({6})}, {{"axes", {0}}}},
      {{f32({2, 0})}, {{"axes", {0}}}},
      {{of(DType::kFloat64, {4, 5})}, {{"axes", {0}}}},
      {{of(DType::kFloat16, {4, 5})}, {{"axes", {1}}}},
      {{of(DType::kBFloat16, {4, 5})}, {{"axes", {1}}}},
      {.inputs = {f32({1024, 1024})}, .attrs = {{"axes", {1}}}, .for_speed = true},
  };
}
std::vector<Sample> weighted_samples() {
  return {
      {{f32({3, 4}), f32({3, 4}, 0.5, 2)}, {{"axes", {0}}}},
      {{f32({3, 4}), f32({3, 1}, 0.5, 2)}, {{"axes", {0, 1}}, {"keepdims", true}}},
      {{f32({3, 4}), f32({}, 0.5, 2)}, {{"axes", {1}}}},
      {{of(DType::kFloat64, {3, 4}), of(DType::kFloat64, {4}, 0.5, 2)}, {{"axes", {-1}}}},
      {{of(DType::kFloat16, {3, 4}), of(DType::kFloat16, {4}, 0.5, 2)}, {{"axes", {-1}}}},
      {.inputs = {f32({1024, 256}), f32({256}, 0.5, 2)},
       .attrs = {{"axes", {1}}},
       .for_speed = true},
  };
}
std::vector<Sample> normalize_samples() {
  const auto all = [](DType dtype) -> Sample {
    return {{given(dtype, {}, {4}), of(dtype, {3}), of(dtype, {3}, 3, 9), of(dtype, {3})}};
  };
  return {
      all(DType::kFloat32),
      all(DType::kFloat64),
      all(DType::kFloat16),
      {{f32({}, 2, 3), f32({0}), f32({0}), f32({0})}},
      {.inputs = {f32({}, 2, 3), f32({4096}), f32({4096}), f32({4096})}, .for_speed = true},
  };
}

LateName late_count_nonzero(const GraphCall& call) {
  return {call.attr("dtype").as_dtype() == DType::kInt64 ? "Sum" : "Cast_1"};
}

}  // namespace

PEN_OP_DEF(reduce_logsumexp) = {
    .name = "ReduceLogsumexp",
    .doc = "log of the sum of exp over the axes, or over all of them.",
    .inputs = {in("input_tensor", kRealFloatTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = composed,
    .compose = compose_logsumexp,
    .grad = composed_gradient,
    .samples = logsumexp_samples,
    .graph_name = {"ReduceLogSumExp"},
};

PEN_OP_DEF(reduce_variance) = {
    .name = "ReduceVariance",
    .doc = "The variance over the axes, or over all of them.",
    .inputs = {in("input_tensor", kFloatTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = composed,
    .compose = compose_variance,
    .grad = composed_gradient,
    .samples = variance_samples,
    .graph_name = {"reduce_variance", "Mean_1"},
};

PEN_OP_DEF(reduce_std) = {
    .name = "ReduceStd",
    .doc = "The standard deviation over the axes, or over all of them.",
    .inputs = {in("input_tensor", kFloatTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = composed,
    .compose = compose_std,
    .grad = composed_gradient,
    .samples = variance_samples,
    .graph_name = {"reduce_std", "Sqrt"},
};

PEN_OP_DEF(reduce_euclidean_norm) = {
    .name = "EuclideanNorm",
    .doc = "The root of the sum of squares over the axes, or over all of them.",
    .inputs = {in("input", kNumberTypes)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false)},
    .infer = composed,
    .compose = compose_euclidean_norm,
    .grad = composed_gradient,
    .samples = norm_samples,
    .graph_name = {.attr_inputs = {{"axis", "reduction_indices"}}},
};

PEN_OP_DEF(count_nonzero) = {
    .name = "CountNonzero",
    .doc = "How many elements over the axes, or over all of them, are not 0 (or empty).",
    .inputs = {in("input", kAnyType)},
    .attrs = {ints_attr("axis", kAllAxes), bool_attr("keepdims", false),
              dtype_attr("dtype", DType::kInt64)},
    .infer = composed,
    .compose = compose_count_nonzero,
    .grad = no_gradient,
    .samples = count_samples,
    .graph_name = {.scope = "count_nonzero", .late = late_count_nonzero},
};

PEN_OP_DEF(zero_fraction) = {
    .name = "ZeroFraction",
    .doc = "The share of elements that are 0.",
    .inputs = {in("value", kNumberTypes)},
    .infer = composed,
    .compose = compose_zero_fraction,
    .grad = no_gradient,
    .samples = zero_fraction_samples,
    .graph_name = {"zero_fraction", "fraction"},
};

PEN_OP_DEF(moments) = {
    .name = "Moments",
    .doc = "Mean and variance over the axes.",
    .inputs = {in("x", kRealFloatTypes)},
    .attrs = {ints_attr("axes"), bool_attr("keepdims", false)},
    .outputs = {"mean", "variance"},
    .infer = composed,
    .compose = compose_moments,
    .grad = composed_gradient,
    .samples = moments_samples,
};

PEN_OP_DEF(weighted_moments) = {
    .name = "WeightedMoments",
    .doc = "Mean and variance over the axes of elements that count as often as they weigh.",
    .inputs = {in("x", kRealFloatTypes), in("frequency_weights", kRealFloatTypes)},
    .attrs = {ints_attr("axes"), bool_attr("keepdims", false)},
    .outputs = {"mean", "variance"},
    .infer = composed,
    .compose = compose_weighted_moments,
    .grad = composed_gradient,
    .samples = weighted_samples,
};

PEN_OP_DEF(normalize_moments) = {
    .name = "NormalizeMoments",
    .doc = "Mean and variance from sums over `counts` elements of their distances from `shift`.",
    .inputs = {in("counts", kRealFloatTypes), in("mean_ss", kRealFloatTypes),
               in("variance_ss", kRealFloatTypes), in("shift", kRealFloatTypes)},
    .outputs = {"mean", "variance"},
    .infer = composed,
    .compose = compose_normalize_moments,
    .grad = composed_gradient,
    .samples = normalize_samples,
};

}  // namespace penstock
