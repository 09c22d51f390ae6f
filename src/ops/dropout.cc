// Dropout and StatelessDropout: sets random elements to 0 and scales up the others so that the
// expected sum stays. The stateless one takes its seed as a tensor.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/random_inputs.h"

namespace penstock {
namespace {

constexpr int32_t kPhilox = 1;  // the algorithm's number

// The shape of the decisions: x's by default; -1 means x's dimension.
Shape noise_shape(const ComposeContext& ctx) {
  const Shape& x = ctx.shape(0);
  const std::span<const int64_t> dims = ctx.attr(1).as_ints();
  if (!is_given(dims)) return x;
  if (dims.empty()) return Shape{};  // one decision for all
  if (dims.size() != static_cast<size_t>(x.rank()))
    ctx.fail("noise_shape ", ctx.attr(1), " must have as many dimensions as x's shape ", x);
  Shape noise = x;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t dim = dims[static_cast<size_t>(i)];
    if (dim != -1 && dim != 1 && dim != x[i])
      ctx.fail("noise_shape ", ctx.attr(1), " does not broadcast to x's shape ", x);
    if (dim == 1) noise.set(i, 1);
  }
  return noise;
}

// TensorFlow's shapes are int32 if that is enough: a uniform op with the same seeds then continues
// the same stream.
Tensor noise_sizes(const Shape& noise) {
  SmallVector<int32_t, 6> sizes;
  for (int64_t dim : noise) {
    if (dim > INT32_MAX) return shape_tensor(noise);
    sizes.push_back(static_cast<int32_t>(dim));
  }
  return Tensor::from<int32_t>(std::span<const int32_t>(sizes), Shape{noise.rank()});
}

// `draw` gives uniform numbers of a shape.
template <typename Draw>
Tensors drop(const ComposeContext& ctx, Draw draw) {
  const Tensor& x = ctx.tensor(0);
  const double rate = ctx.attr(0).as_float();
  if (!(rate >= 0 && rate < 1))
    ctx.fail("`rate` must be in the range [0, 1), but is ", ctx.attr(0));
  const Shape noise = noise_shape(ctx);
  if (rate == 0) return {identity(x)};
  const Tensor keeps = greater_equal(draw(noise_sizes(noise)), scalar_like(x, rate));
  return {select(keeps, x * (1 / (1 - rate)), scalar_like(x, 0))};
}

Tensors compose(const ComposeContext& ctx) {
  return drop(ctx, [&](const Tensor& shape) {
    return random_uniform(shape, ctx.dtype(0), ctx.attr(2).as_int(), ctx.attr(3).as_int(),
                          ctx.attr(4).as_int());
  });
}
Tensors compose_stateless(const ComposeContext& ctx) {
  return drop(ctx, [&](const Tensor& shape) {
    const auto [key, counter] = stateless_random_get_key_counter(ctx.tensor(1));
    return stateless_random_uniform(shape, key, counter, Tensor(kPhilox), ctx.dtype(0));
  });
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({4, 5}, 1, 2)}, {{"rate", 0.5}, {"seed", 1}, {"seed2", 2}}},
      {{of(kFloat64, {3, 4}, 1, 2)}, {{"rate", 0.25}, {"noise_shape", {-1, 1}}, {"seed", 7}}},
      {{of(kFloat64, {3, 4}, 1, 2)}, {{"rate", 0.25}, {"noise_shape", {1, 4}}, {"seed", 9}}},
      {{f32({3})}, {{"rate", 0.0}}},
      {{f32({0, 3})}, {{"rate", 0.5}}},
      {{of(kBFloat16, {7}, 1, 2)}, {{"rate", 0.5}, {"seed", 3}}},
      {{of(kFloat16, {}, 1, 2)}, {{"rate", 0.5}, {"seed", 3}}},
      {.inputs = {f32({1 << 20})}, .attrs = {{"rate", 0.5}}, .for_speed = true},
  };
}

std::vector<Sample> stateless_samples() {
  using enum DType;
  const SampleInput seed = ints({1, 2});
  return {
      {{given(kFloat32, {8}, {1, 1, 1, 1, 1, 1, 1, 1}), seed}, {{"rate", 0.5}}},
      {{of(kFloat64, {3, 4}, 1, 2), seed}, {{"rate", 0.25}, {"noise_shape", {-1, 1}}}},
      {{f32({0, 3}), given(kInt64, {2}, {5, 6})}, {{"rate", 0.5}}},
      {{of(kFloat16, {7}, 1, 2), seed}, {{"rate", 0.5}}},
  };
}

}  // namespace

PEN_OP_DEF(dropout) = {
    .name = "Dropout",
    .doc = "x with a share of `rate` of its elements set to 0, the others divided by 1 - rate.",
    .inputs = {in("x", kRealFloatTypes)},
    .attrs = {float_attr("rate"), ints_attr("noise_shape", kOptionalInts), int_attr("seed", 0),
              int_attr("seed2", 0), int_attr("skip", -1)},
    .traits = {Trait::kStateful},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
};

PEN_OP_DEF(stateless_dropout) = {
    .name = "StatelessDropout",
    .doc =
        "x with a share of `rate` of its elements set to 0, as the seed says, the others divided "
        "by 1 - rate.",
    .inputs = {in("x", kRealFloatTypes), in("seed", kIndexTypes, 'S')},
    .attrs = {float_attr("rate"), ints_attr("noise_shape", kOptionalInts)},
    .infer = composed,
    .compose = compose_stateless,
    .grad = composed_gradient,
    .samples = stateless_samples,
    .graph_name = {"stateless_dropout", "SelectV2"},
};

}  // namespace penstock
