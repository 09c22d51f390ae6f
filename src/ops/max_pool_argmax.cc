// MaxPoolWithArgmax: the largest values of windows and their positions, and its gradient.
#include <penstock/ops/compose.h>
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

#include "kernels/pool.h"
#include "ops/window.h"

namespace penstock {
namespace {

// Reads the input's shape and the attributes; returns the reason if they are incompatible, and
// otherwise null.
const char* read(const Shape& input, Attrs attrs, DType dtype, kernels::PoolShape* s,
                 Shape* output) {
  if (input.rank() != 4) return "the input must have 4 dimensions";
  const auto ksize = attrs[0].as_ints();
  if (ksize.size() != 4) return "ksize must be a number for every dimension";
  if (ksize[0] != 1 || ksize[3] != 1) return "ksize over the batch and the channels must be 1";
  if (attrs[2].as_string() == "EXPLICIT") return "padding must be SAME or VALID";
  *s = {.dtype = dtype, .batch = input[0], .channels = input[3]};
  const ImageAxes axes;
  const WindowAttrs window{attrs[1].as_ints(), attrs[2].as_string(), {}};
  if (const char* problem = slide_window(window, axes, input, ksize.subspan(1, 2), &s->window))
    return problem;
  *output = axes.output(s->batch, s->window, s->channels);
  return nullptr;
}

void infer(InferContext& ctx) {
  const DType places = ctx.attr(3).as_dtype();
  if (!kIndexTypes.has(places)) ctx.fail_type("Targmax must be int32 or int64, not ", places);
  Shape output{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  if (ctx.shape(0).is_known()) {
    kernels::PoolShape s;
    if (const char* problem = read(ctx.shape(0), {&ctx.attr(0), 5}, ctx.dtype(0), &s, &output)) {
      ctx.fail(problem, ": input ", ctx.shape(0), ", ksize ", ctx.attr(0), ", strides ",
               ctx.attr(1), ", padding ", ctx.attr(2));
    }
    if (places == DType::kInt32 && ctx.shape(0).num_elements() > INT32_MAX)
      ctx.fail("the places in an input of shape ", ctx.shape(0), " do not fit into int32");
  }
  ctx.add_output(ctx.dtype(0), output);
  ctx.add_output(places, output);
}

KernelResult cpu(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &y = ctx.outputs[0], &places = ctx.outputs[1];
  kernels::PoolShape s;
  Shape output;
  static_cast<void>(read(x.shape, ctx.attrs, x.dtype, &s, &output));
  if (y.size() > 0) {
    kernels::max_pool_with_argmax(s, x.data, y.data, places.data, ctx.attrs[4].as_bool(),
                                  places.dtype == DType::kInt32);
  }
  return KernelResult::ok();
}

// dy summed at its positions, in a tensor of the input's shape.
Tensor at_places(const Shape& input, const Tensor& dy, const Tensor& places, bool from_batch) {
  Tensor all = cast(places, DType::kInt64);
  if (!from_batch && dy.num_elements() > 0) {
    const int64_t each = input.num_elements() / input[0];
    const Tensor starts = range(Tensor(int64_t{0}), Tensor(input.num_elements()), Tensor(each));
    all = all + reshape(starts, shape_tensor(Shape{input[0], 1, 1, 1}));
  }
  const int64_t count = dy.num_elements();
  const Tensor flat = scatter_nd(reshape(all, shape_tensor(Shape{count, 1})),
                                 reshape(dy, shape_tensor(Shape{count})),
                                 shape_tensor(Shape{input.num_elements()}));
  return reshape(flat, shape_tensor(input));
}

Gradients grad(const GradContext& g) {
  return {at_places(g.input(0).shape(), g.dy(0), g.output(1), g.attr(4).as_bool())};
}

Tensors compose_grad(const ComposeContext& ctx) {
  kernels::PoolShape s;
  Shape output;
  if (const char* problem = read(ctx.shape(0), {&ctx.attr(0), 3}, ctx.dtype(0), &s, &output)) {
    ctx.fail(problem, ": input ", ctx.shape(0), ", ksize ", ctx.attr(0), ", strides ", ctx.attr(1),
             ", padding ", ctx.attr(2));
  }
  for (size_t i = 1; i < 3; ++i) {
    if (ctx.shape(i) != output) {
      ctx.fail("input '", ctx.op().inputs[i].name, "' has shape ", ctx.shape(i), ", but pooling ",
               ctx.shape(0), " gives ", output);
    }
  }
  return {at_places(ctx.shape(0), ctx.tensor(1), ctx.tensor(2), ctx.attr(3).as_bool())};
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{distinct(kFloat32, {2, 4, 4, 2})},
       {{"ksize", {1, 2, 2, 1}}, {"strides", {1, 2, 2, 1}}, {"padding", "VALID"}}},
      {{distinct(kFloat64, {2, 3, 4, 1})},
       {{"ksize", {1, 2, 3, 1}},
        {"strides", {1, 1, 2, 1}},
        {"padding", "SAME"},
        {"include_batch_in_index", true}}},
      {{distinct(kBFloat16, {1, 3, 3, 2})},
       {{"ksize", {1, 2, 2, 1}},
        {"strides", {1, 1, 1, 1}},
        {"padding", "VALID"},
        {"Targmax", kInt32}}},
      {{i32({1, 3, 3, 2})},
       {{"ksize", {1, 2, 2, 1}}, {"strides", {1, 1, 1, 1}}, {"padding", "SAME"}}},
      {{f32({0, 3, 3, 2})},
       {{"ksize", {1, 2, 2, 1}}, {"strides", {1, 1, 1, 1}}, {"padding", "SAME"}}},
      {.inputs = {f32({8, 56, 56, 64})},
       .attrs = {{"ksize", {1, 2, 2, 1}}, {"strides", {1, 2, 2, 1}}, {"padding", "VALID"}},
       .for_speed = true},
  };
}
std::vector<Sample> grad_samples() {
  using enum DType;
  return {
      {{f32({1, 2, 2, 2}), f32({1, 1, 1, 2}), given(kInt64, {1, 1, 1, 2}, {6, 3})},
       {{"ksize", {1, 2, 2, 1}}, {"strides", {1, 2, 2, 1}}, {"padding", "VALID"}}},
      {{of(kFloat64, {2, 1, 3, 1}), of(kFloat64, {2, 1, 2, 1}),
        given(kInt32, {2, 1, 2, 1}, {1, 1, 3, 5})},
       {{"ksize", {1, 1, 2, 1}},
        {"strides", {1, 1, 1, 1}},
        {"padding", "VALID"},
        {"include_batch_in_index", true}}},
      {{of(kFloat64, {2, 1, 3, 1}), of(kFloat64, {2, 1, 2, 1}),
        given(kInt64, {2, 1, 2, 1}, {1, 1, 0, 2})},
       {{"ksize", {1, 1, 2, 1}}, {"strides", {1, 1, 1, 1}}, {"padding", "VALID"}}},
  };
}

}  // namespace

PEN_OP_DEF(max_pool_with_argmax) = {
    .name = "MaxPoolWithArgmax",
    .doc = "The largest value of every window and its place in the flattened image or batch.",
    .inputs = {in("input", kRealTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              dtype_attr("Targmax", DType::kInt64), bool_attr("include_batch_in_index", false)},
    .outputs = {"output", "argmax"},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.outputs = 0b10},
    .samples = samples,
};

PEN_OP_DEF(max_pool_grad_with_argmax) = {
    .name = "MaxPoolGradWithArgmax",
    .doc = "The gradient of max_pool_with_argmax: each window's goes to the place that is named.",
    .inputs = {in("input", kRealFloatTypes), in("grad", kRealFloatTypes),
               in("argmax", kIndexTypes, 'I')},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              bool_attr("include_batch_in_index", false)},
    .infer = composed,
    .compose = compose_grad,
    .grad = composed_gradient,
    .samples = grad_samples,
};

}  // namespace penstock
