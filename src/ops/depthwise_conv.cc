// DepthwiseConv2dNative and its gradients: every channel has its own filters.
#include <penstock/ops/context.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/depthwise.h"
#include "ops/window.h"

namespace penstock {

extern const OpDef depthwise_conv2d_op, depthwise_conv2d_backprop_input_op,
    depthwise_conv2d_backprop_filter_op;

namespace {

// Reads the shapes of input and filter and the attributes; returns the reason if they are
// incompatible, and otherwise null.
const char* read(const Shape& input, const Shape& filter, Attrs attrs, DType dtype,
                 kernels::DepthwiseShape* s, Shape* output) {
  ImageAxes axes;
  if (const char* problem = image_axes(attrs[3].as_string(), 2, &axes)) return problem;
  if (input.rank() != 4) return "the input must have 4 dimensions";
  if (filter.rank() != 4) return "the filter must have 4 dimensions";
  *s = {.dtype = dtype,
        .batch = input[0],
        .channels = input[axes.channel()],
        .multiplier = filter[3],
        .channels_first = axes.channels_first};
  if (s->channels != filter[2]) return "input and filter must have the same depth";
  const WindowAttrs window{attrs[0].as_ints(), attrs[1].as_string(), attrs[2].as_ints(),
                           attrs[4].as_ints()};
  const char* problem = slide_window(window, axes, input, filter.dims().first(2), &s->window);
  if (problem != nullptr) return problem;
  const Shape channels{filter[2], filter[3]};  // whose product may overflow
  *output = axes.output(s->batch, s->window, channels.num_elements());
  return nullptr;
}

// Rejects the call unless the output has shape `dy`, if given.
Shape check(const InferContext& ctx, const Shape& input, const Shape& filter, const Shape* dy) {
  kernels::DepthwiseShape s;
  Shape output;
  if (const char* problem =
          read(input, filter, {&ctx.attr(0), 5}, ctx.dtype(dy ? 2 : 0), &s, &output))
    ctx.fail(problem, ": input ", input, ", filter ", filter, ", strides ", ctx.attr(0),
             ", padding ", ctx.attr(1));
  if (dy != nullptr && *dy != output) {
    ctx.fail("out_backprop has shape ", *dy, ", but input ", input, " and filter ", filter,
             " give ", output);
  }
  return output;
}

void infer(InferContext& ctx) {
  const Shape &input = ctx.shape(0), &filter = ctx.shape(1);
  if (!input.is_known() || !filter.is_known()) {
    Shape image{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim}, output;
    ImageAxes axes;
    const bool is_format = image_axes(ctx.attr(3).as_string(), 2, &axes) == nullptr;
    if (input.rank() == 4) image.set(0, input[0]);
    if (is_format && filter.is_known() && filter.rank() == 4 && input.rank() == 4) {
      kernels::DepthwiseShape s;
      const char* problem = read(sized_image(input, axes, filter[2]), filter, {&ctx.attr(0), 5},
                                 ctx.dtype(0), &s, &output);
      if (problem == nullptr) image = without_sizes(output, input, axes);
    }
    return ctx.add_output(ctx.dtype(0), image);
  }
  ctx.add_output(ctx.dtype(0), check(ctx, input, filter, nullptr));
}

void infer_input_grad(InferContext& ctx) {
  const Shape input = ctx.shape_value(0);
  const Shape &filter = ctx.shape(1), &dy = ctx.shape(2);
  if (input.is_known() && filter.is_known() && dy.is_known()) check(ctx, input, filter, &dy);
  ctx.add_output(ctx.dtype(2), input);
}

void infer_filter_grad(InferContext& ctx) {
  const Shape filter = ctx.shape_value(1);
  const Shape &input = ctx.shape(0), &dy = ctx.shape(2);
  if (input.is_known() && filter.is_known() && dy.is_known()) check(ctx, input, filter, &dy);
  ctx.add_output(ctx.dtype(2), filter);
}

kernels::DepthwiseShape known(const Shape& input, const Shape& filter, const KernelContext& ctx) {
  kernels::DepthwiseShape s;
  Shape output;
  static_cast<void>(read(input, filter, ctx.attrs, ctx.outputs[0].dtype, &s, &output));
  return s;
}

KernelResult cpu(const KernelContext& ctx) {
  const View &input = ctx.inputs[0], &filter = ctx.inputs[1], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::depthwise_conv(known(input.shape, filter.shape, ctx), input.data, filter.data,
                            out.data);
  }
  return KernelResult::ok();
}
KernelResult cpu_input_grad(const KernelContext& ctx) {
  const View &filter = ctx.inputs[1], &dy = ctx.inputs[2], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::depthwise_input_grad(known(out.shape, filter.shape, ctx), filter.data, dy.data,
                                  out.data);
  }
  return KernelResult::ok();
}
KernelResult cpu_filter_grad(const KernelContext& ctx) {
  const View &input = ctx.inputs[0], &dy = ctx.inputs[2], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::depthwise_filter_grad(known(input.shape, out.shape, ctx), input.data, dy.data,
                                   out.data);
  }
  return KernelResult::ok();
}

// An op of the family with the attributes of the differentiated call.
Tensor call(const OpDef& op, const GradContext& g, std::initializer_list<const Tensor*> inputs) {
  return dispatch(op, {inputs.begin(), inputs.size()}, g.attrs())[0];
}
Tensor input_grad(const GradContext& g, const Tensor& input, const Tensor& filter,
                  const Tensor& dy) {
  const Tensor sizes = shape_tensor(input);
  return call(depthwise_conv2d_backprop_input_op, g, {&sizes, &filter, &dy});
}
Tensor filter_grad(const GradContext& g, const Tensor& input, const Tensor& filter,
                   const Tensor& dy) {
  const Tensor sizes = shape_tensor(filter);
  return call(depthwise_conv2d_backprop_filter_op, g, {&input, &sizes, &dy});
}

Gradients grad(const GradContext& g) {
  const Tensor dy = g.dy();
  Gradients grads{{}, {}};
  if (g.needs(0)) grads[0] = input_grad(g, g.input(0), g.input(1), dy);
  if (g.needs(1)) grads[1] = filter_grad(g, g.input(0), g.input(1), dy);
  return grads;
}
Gradients grad_input_grad(const GradContext& g) {
  const Tensor dx = g.dy();
  Gradients grads{{}, {}, {}};
  if (g.needs(1)) grads[1] = filter_grad(g, dx, g.input(1), g.input(2));
  if (g.needs(2)) grads[2] = call(depthwise_conv2d_op, g, {&dx, &g.input(1)});
  return grads;
}
Gradients grad_filter_grad(const GradContext& g) {
  const Tensor dw = g.dy();
  Gradients grads{{}, {}, {}};
  if (g.needs(0)) grads[0] = input_grad(g, g.input(0), dw, g.input(2));
  if (g.needs(2)) grads[2] = call(depthwise_conv2d_op, g, {&g.input(0), &dw});
  return grads;
}

// One convolution, from which the samples of all three ops are made.
struct Case {
  DType dtype;
  Shape input, filter, output;
  std::vector<SampleAttr> attrs;
};
std::vector<Case> cases() {
  using enum DType;
  using Ints = std::vector<int64_t>;
  const Ints one{1, 1, 1, 1}, two{1, 2, 2, 1};
  return {
      {kFloat32,
       {1, 4, 4, 3},
       {3, 2, 3, 1},
       {1, 2, 3, 3},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat64, {2, 5, 4, 2}, {3, 3, 2, 2}, {2, 3, 2, 4}, {{"strides", two}, {"padding", "SAME"}}},
      {kFloat64,
       {1, 5, 5, 2},
       {2, 2, 2, 1},
       {1, 5, 5, 2},
       {{"strides", one}, {"padding", "SAME"}, {"dilations", two}}},
      {kFloat64,
       {1, 2, 3, 4},
       {2, 2, 2, 3},
       {1, 6, 3, 4},
       {{"strides", one}, {"padding", "SAME"}, {"data_format", "NCHW"}}},
      {kFloat32,
       {1, 3, 3, 20},
       {2, 2, 20, 1},
       {1, 3, 3, 20},
       {{"strides", one},
        {"padding", "EXPLICIT"},
        {"explicit_paddings", Ints{0, 0, 1, 0, 0, 1, 0, 0}}}},
      {kBFloat16,
       {1, 3, 3, 2},
       {2, 2, 2, 1},
       {1, 2, 2, 2},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat16, {1, 3, 3, 2}, {1, 1, 2, 2}, {1, 3, 3, 4}, {{"strides", one}, {"padding", "SAME"}}},
      {kFloat32,
       {0, 3, 3, 2},
       {2, 2, 2, 1},
       {0, 2, 2, 2},
       {{"strides", one}, {"padding", "VALID"}}},
  };
}
Case large() {
  return {DType::kFloat32,
          {8, 56, 56, 64},
          {3, 3, 64, 1},
          {8, 56, 56, 64},
          {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}}};
}

SampleInput sizes(const Shape& shape) {
  return ints(std::vector<double>(shape.begin(), shape.end()));
}
template <typename Inputs>
std::vector<Sample> make_samples(const Inputs& inputs) {
  std::vector<Sample> list;
  for (const Case& c : cases()) list.push_back({inputs(c), c.attrs});
  list.push_back({.inputs = inputs(large()), .attrs = large().attrs, .for_speed = true});
  return list;
}
std::vector<Sample> samples() {
  return make_samples([](const Case& c) {
    return std::vector<SampleInput>{of(c.dtype, c.input), of(c.dtype, c.filter)};
  });
}
std::vector<Sample> input_grad_samples() {
  return make_samples([](const Case& c) {
    return std::vector<SampleInput>{sizes(c.input), of(c.dtype, c.filter), of(c.dtype, c.output)};
  });
}
std::vector<Sample> filter_grad_samples() {
  return make_samples([](const Case& c) {
    return std::vector<SampleInput>{of(c.dtype, c.input), sizes(c.filter), of(c.dtype, c.output)};
  });
}

LateName late_depthwise(const GraphCall& call) {
  return {call.is_dilated() ? "BatchToSpaceND" : ""};
}

}  // namespace

PEN_OP_DEF(depthwise_conv2d) = {
    .name = "DepthwiseConv2dNative",
    .doc = "Filters [height, width, channels, multiplier], each slid over its own channel.",
    .inputs = {in("input", kRealFloatTypes), in("filter", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b11},
    .samples = samples,
    .graph_name = {.scope = "depthwise", .late = late_depthwise},
};

PEN_OP_DEF(depthwise_conv2d_backprop_input) = {
    .name = "DepthwiseConv2dNativeBackpropInput",
    .doc = "The gradient of depthwise_conv2d with respect to its input.",
    .inputs = {host("input_sizes", kIndexTypes), in("filter", kRealFloatTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .infer = infer_input_grad,
    .cpu = cpu_input_grad,
    .grad = grad_input_grad,
    .saves = {.inputs = 0b110},
    .samples = input_grad_samples,
};

PEN_OP_DEF(depthwise_conv2d_backprop_filter) = {
    .name = "DepthwiseConv2dNativeBackpropFilter",
    .doc = "The gradient of depthwise_conv2d with respect to its filter.",
    .inputs = {in("input", kRealFloatTypes), host("filter_sizes", kIndexTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .infer = infer_filter_grad,
    .cpu = cpu_filter_grad,
    .grad = grad_filter_grad,
    .saves = {.inputs = 0b101},
    .samples = filter_grad_samples,
};

}  // namespace penstock
