// Values and lengths kept within bounds.
#include <cmath>

#include <penstock/ops/compose.h>

#include "ops/elementwise.h"

namespace penstock {
namespace {

using namespace elementwise;
using kernels::TernaryOp;

// The bounds broadcast to t's shape, which the output has.
void infer_clip(InferContext& ctx) {
  for (size_t i = 1; i < 3; ++i) {
    if (broadcast(ctx, ctx.shape(0), ctx.shape(i)) != ctx.shape(0)) {
      ctx.fail("the bounds' shape ", ctx.shape(i), " does not broadcast to the input's shape ",
               ctx.shape(0));
    }
  }
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

// To t where it is within the bounds, and otherwise to the bound.
Gradients clip_grad(const GradContext& g) {
  Gradients out{{}, {}, {}};
  const Tensor& t = g.input(0);
  const Tensor& low = g.input(1);
  const Tensor& high = g.input(2);
  const Tensor dy = g.dy();
  const Tensor zero = scalar_like(dy, 0);
  const Tensor below = less(t, low);
  const Tensor above = greater(t, high);
  if (g.needs(0)) out[0] = select(logical_or(below, above), zero, dy);
  if (g.needs(1)) out[1] = sum_to_like(select(below, dy, zero), low);
  if (g.needs(2)) out[2] = sum_to_like(select(above, dy, zero), high);
  return out;
}

// The length over the axes, with a derivative of 0 rather than NaN at length 0.
Tensor safe_length(const Tensor& x, std::span<const int64_t> axes) {
  const Tensor squares = reduce_sum(square(x), axes, true);
  const Tensor has_length = greater(squares, scalar_like(x, 0));
  const Tensor safe = select(has_length, squares, ones_like(squares));
  return select(has_length, sqrt(safe), squares);
}

Tensors compose_by_norm(const ComposeContext& ctx) {
  const Tensor& t = ctx.tensor(0);
  const Tensor clip = maximum(ctx.tensor(1), scalar_like(ctx.tensor(1), 0));
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  ctx.axes(axes, t.rank());
  broadcast(ctx, t.shape(), clip.shape());
  return {t * clip / maximum(safe_length(t, axes), clip)};
}

void check_some(const ComposeContext& ctx, size_t first) {
  if (ctx.num_inputs() <= first) ctx.fail("takes at least one tensor");
}

// √ of the sum of all squares, of all tensors together.
Tensor length_of_all(std::span<const Tensor> tensors) {
  SmallVector<Tensor, 8> squares;
  for (const Tensor& tensor : tensors) squares.push_back(l2_loss(tensor));
  return sqrt(add_n(squares) * 2);
}

Tensors compose_global_norm(const ComposeContext& ctx) {
  return {length_of_all(ctx.tensors_from(0))};
}

// NaN for all if a length is not finite, so that it is noticed.
Tensors compose_by_global_norm(const ComposeContext& ctx) {
  check_some(ctx, 2);
  const Tensor& clip = ctx.tensor(0);
  const Tensor& norm = ctx.tensor(1);
  if (clip.rank() != 0 || norm.rank() != 0) {
    ctx.fail("clip_norm and use_norm must be scalars, but have shapes ", clip.shape(), " and ",
             norm.shape());
  }
  const Tensor finite = select(is_finite(norm), norm, norm - norm);
  const Tensor scale = clip * minimum(reciprocal(finite), reciprocal(clip));
  Tensors clipped;
  for (const Tensor& tensor : ctx.tensors_from(2)) clipped.push_back(tensor * scale);
  return clipped;
}

std::vector<Sample> clip_samples() {
  std::vector<Sample> samples;
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64,
                            DType::kInt8, DType::kInt32, DType::kInt64, DType::kUInt8}) {
    samples.push_back({{of(dtype, {3, 5}, 0, 9), given(dtype, {}, {2}), given(dtype, {}, {5})}});
  }
  samples.push_back({{f32({3, 5}), f32({3, 5}, -1, -0.5), f32({3, 5}, 0.5, 1)}});
  samples.push_back({{f32({3, 5}), f32({5}, -1, -0.5), f32({3, 1}, 0.5, 1)}});
  samples.push_back({{f32({0}), f32({}), f32({})}});
  samples.push_back({.inputs = {given(DType::kFloat32, {4}, {NAN, 1, INFINITY, -INFINITY}),
                                given(DType::kFloat32, {}, {3}), given(DType::kFloat32, {}, {2})},
                     .check_grad = false});
  samples.push_back({.inputs = {f32({1 << 20}), given(DType::kFloat32, {}, {-1}),
                                given(DType::kFloat32, {}, {1})},
                     .for_speed = true});
  return samples;
}
std::vector<Sample> by_norm_samples() {
  return {
      {{f32({3, 4}), given(DType::kFloat32, {}, {1})}},
      {{f32({3, 4}), given(DType::kFloat32, {}, {100})}},
      {.inputs = {f32({3, 4}), given(DType::kFloat32, {}, {-1})}, .check_grad = false},
      {{f32({3, 4}), given(DType::kFloat32, {}, {1.5})}, {{"axes", {1}}}},
      {{of(DType::kFloat64, {3, 4}), given(DType::kFloat64, {}, {1})}, {{"axes", {-2}}}},
      {{of(DType::kFloat16, {5}), given(DType::kFloat16, {}, {1})}},
      {{f32({0, 4}), given(DType::kFloat32, {}, {1})}},
      {.inputs = {f32({1 << 20}), given(DType::kFloat32, {}, {1})}, .for_speed = true},
  };
}
std::vector<Sample> global_norm_samples() {
  return {
      {{f32({3, 4})}},
      {{f32({3, 4}), f32({2}), f32({})}},
      {{of(DType::kFloat64, {3}), of(DType::kFloat64, {2, 2})}},
      {{of(DType::kFloat16, {3}), of(DType::kFloat16, {2, 2})}},
      {.inputs = {f32({1 << 20}), f32({1 << 18})}, .for_speed = true},
  };
}
std::vector<Sample> by_global_norm_samples() {
  const auto number = [](DType dtype, double value) { return given(dtype, {}, {value}); };
  constexpr DType kF32 = DType::kFloat32;
  return {
      {{number(kF32, 1), number(kF32, 2.5), f32({3, 4})}},
      {{number(kF32, 3), number(kF32, 2.5), f32({3, 4}), f32({2})}},
      {.inputs = {number(kF32, 3), number(kF32, INFINITY), f32({2})}, .check_grad = false},
      {{number(DType::kFloat64, 1), number(DType::kFloat64, 4), of(DType::kFloat64, {3})}},
      {.inputs = {number(kF32, 1), number(kF32, 2), f32({1 << 20})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(clip_by_value) = {
    .name = "ClipByValue",
    .doc = "t within [clip_value_min, clip_value_max].",
    .inputs = {in("t", kRealTypes), in("clip_value_min", kRealTypes),
               in("clip_value_max", kRealTypes)},
    .traits = {Trait::kElementwise},
    .forwards = {{0, 0}},
    .infer = infer_clip,
    .cpu = ternary_cpu<TernaryOp::kClip>,
    .grad = clip_grad,
    .saves = {.inputs = kAll},
    .samples = clip_samples,
    .graph_name = {"clip_by_value"},
};

PEN_OP_DEF(clip_by_norm) = {
    .name = "ClipByNorm",
    .doc =
        "t scaled down to length clip_norm over the axes, where it is longer; a negative one is 0.",
    .inputs = {in("t", kRealFloatTypes), in("clip_norm", kRealFloatTypes)},
    .attrs = {ints_attr("axes", kAllAxes)},
    .infer = composed,
    .compose = compose_by_norm,
    .grad = composed_gradient,
    .samples = by_norm_samples,
    .graph_name = {"clip_by_norm"},
};

PEN_OP_DEF(global_norm) = {
    .name = "GlobalNorm",
    .doc = "The length of all tensors together.",
    .inputs = {many("t_list", kRealFloatTypes)},
    .infer = composed,
    .compose = compose_global_norm,
    .grad = composed_gradient,
    .samples = global_norm_samples,
    .graph_name = {"global_norm", "global_norm"},
};

PEN_OP_DEF(clip_by_global_norm) = {
    .name = "ClipByGlobalNorm",
    .doc = "Tensors scaled by clip_norm / max(use_norm, clip_norm); use_norm is their global_norm.",
    .inputs = {in("clip_norm", kRealFloatTypes), in("use_norm", kRealFloatTypes),
               many("t_list", kRealFloatTypes)},
    .traits = {Trait::kManyOutputs},
    .infer = composed,
    .compose = compose_by_global_norm,
    .grad = composed_gradient,
    .samples = by_global_norm_samples,
};

}  // namespace penstock
