// L2Normalize: rows of length one.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

Tensors compose(const ComposeContext& ctx) {
  const Tensor& x = ctx.tensor(0);
  const std::span<const int64_t> axes = ctx.attr(0).as_ints();
  ctx.axes(axes, x.shape().rank());
  const Tensor squares = reduce_sum(square(x), axes, true);
  const Tensor least = scalar_like(x, ctx.attr(1).as_float());
  return {x * rsqrt(maximum(squares, least))};
}

std::vector<Sample> samples() {
  return {
      {{f32({3, 4})}, {{"axis", {1}}}},
      {{f32({3, 4})}, {{"axis", {0, -1}}}},
      {{f32({3, 4})}},
      {{f32({0, 4})}, {{"axis", {0}}}},
      {{of(DType::kFloat64, {5})}, {{"axis", {0}}, {"epsilon", 0.5}}},
      {{of(DType::kFloat16, {2, 3})}, {{"axis", {-1}}}},
      {.inputs = {f32({1024, 256})}, .attrs = {{"axis", {1}}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(l2_normalize) = {
    .name = "L2Normalize",
    .doc = "x divided by its length along `axis`, or by the root of `epsilon` where that is more.",
    .inputs = {in("x", kRealFloatTypes)},
    .attrs = {ints_attr("axis", kAllAxes), float_attr("epsilon", 1e-12)},
    .infer = composed,
    .compose = compose,
    .grad = composed_gradient,
    .samples = samples,
    .graph_name = {"l2_normalize"},
};

}  // namespace penstock
