// Conv2D and its gradients with respect to the input and to the filter; each one's gradients are
// the other two.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/conv.h"
#include "ops/window.h"

namespace penstock {
namespace {

WindowAttrs window_attrs(Attrs attrs) {
  return {attrs[0].as_ints(), attrs[1].as_string(), attrs[2].as_ints(), attrs[4].as_ints()};
}

// What the shapes of input and filter and the attributes say; gives the reason when they do not go
// together, and otherwise null.
const char* read(const Shape& input, const Shape& filter, Attrs attrs, DType dtype,
                 kernels::ConvShape* s, Shape* output) {
  ImageAxes axes;
  if (const char* problem = image_axes(attrs[3].as_string(), &axes)) return problem;
  if (input.rank() != 4) return "the input must have 4 dimensions";
  if (filter.rank() != 4) return "the filter must have 4 dimensions";
  *s = {.dtype = dtype,
        .batch = input[0],
        .in_channels = input[axes.c],
        .out_channels = filter[3],
        .channels_first = axes.channels_first()};
  if (s->in_channels == 0 || filter[2] == 0 || s->in_channels % filter[2] != 0)
    return "the input's channels must be a multiple of the filter's";
  s->groups = s->in_channels / filter[2];
  if (s->out_channels % s->groups != 0)
    return "the output's channels must be a multiple of the number of groups";
  const char* problem =
      image_window(window_attrs(attrs), axes, input, filter[0], filter[1], &s->h, &s->w);
  if (problem == nullptr) *output = axes.shape(s->batch, s->h.out, s->w.out, s->out_channels);
  return problem;
}

Attrs all_attrs(const InferContext& ctx) { return {&ctx.attr(0), 5}; }

// The convolution that a call is about; refuses it unless the output has shape `dy`, if given.
kernels::ConvShape check(const InferContext& ctx, const Shape& input, const Shape& filter,
                         const Shape* dy, Shape* output) {
  kernels::ConvShape s;
  if (const char* problem = read(input, filter, all_attrs(ctx), ctx.dtype(dy ? 2 : 0), &s, output))
    ctx.fail(problem, ": input ", input, ", filter ", filter, ", strides ", ctx.attr(0),
             ", padding ", ctx.attr(1));
  if (dy != nullptr && *dy != *output) {
    ctx.fail("out_backprop has shape ", *dy, ", but input ", input, " and filter ", filter,
             " give ", *output);
  }
  return s;
}

Shape unknown_image() { return {kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim}; }

void infer(InferContext& ctx) {
  const Shape &input = ctx.shape(0), &filter = ctx.shape(1);
  if (!input.is_known() || !filter.is_known()) return ctx.add_output(ctx.dtype(0), unknown_image());
  Shape output;
  const kernels::ConvShape s = check(ctx, input, filter, nullptr, &output);
  if (output.num_elements() > 0) ctx.set_scratch(kernels::conv_scratch_bytes(s));
  ctx.add_output(ctx.dtype(0), output);
}

void infer_input_grad(InferContext& ctx) {
  const Shape input = ctx.shape_value(0);
  const Shape &filter = ctx.shape(1), &dy = ctx.shape(2);
  if (!input.is_known() || !filter.is_known() || !dy.is_known())
    return ctx.add_output(ctx.dtype(2), input);
  Shape output;
  const kernels::ConvShape s = check(ctx, input, filter, &dy, &output);
  if (input.num_elements() > 0 && dy.num_elements() > 0)
    ctx.set_scratch(kernels::conv_input_grad_scratch_bytes(s));
  ctx.add_output(ctx.dtype(2), input);
}

void infer_filter_grad(InferContext& ctx) {
  const Shape filter = ctx.shape_value(1);
  const Shape &input = ctx.shape(0), &dy = ctx.shape(2);
  if (!input.is_known() || !filter.is_known() || !dy.is_known())
    return ctx.add_output(ctx.dtype(2), filter);
  Shape output;
  const kernels::ConvShape s = check(ctx, input, filter, &dy, &output);
  if (filter.num_elements() > 0 && dy.num_elements() > 0)
    ctx.set_scratch(kernels::conv_filter_grad_scratch_bytes(s));
  ctx.add_output(ctx.dtype(2), filter);
}

kernels::ConvShape known(const Shape& input, const Shape& filter, const KernelContext& ctx) {
  kernels::ConvShape s;
  Shape output;
  static_cast<void>(read(input, filter, ctx.attrs, ctx.outputs[0].dtype, &s, &output));
  return s;
}

KernelResult cpu(const KernelContext& ctx) {
  const View &input = ctx.inputs[0], &filter = ctx.inputs[1], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::conv(known(input.shape, filter.shape, ctx), input.data, filter.data, out.data,
                  ctx.scratch);
  }
  return KernelResult::ok();
}

KernelResult cpu_input_grad(const KernelContext& ctx) {
  const View &filter = ctx.inputs[1], &dy = ctx.inputs[2], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::conv_input_grad(known(out.shape, filter.shape, ctx), filter.data, dy.data, out.data,
                             ctx.scratch);
  }
  return KernelResult::ok();
}

KernelResult cpu_filter_grad(const KernelContext& ctx) {
  const View &input = ctx.inputs[0], &dy = ctx.inputs[2], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::conv_filter_grad(known(input.shape, out.shape, ctx), input.data, dy.data, out.data,
                              ctx.scratch);
  }
  return KernelResult::ok();
}

// The three ops with the attributes of the call whose gradient is wanted.
Tensor forward(const GradContext& g, const Tensor& input, const Tensor& filter) {
  return conv2d(input, filter, g.attr(0).as_ints(), g.attr(1).as_string(), g.attr(2).as_ints(),
                g.attr(3).as_string(), g.attr(4).as_ints());
}
Tensor input_grad(const GradContext& g, const Tensor& input, const Tensor& filter,
                  const Tensor& dy) {
  return conv2d_backprop_input(shape_tensor(input), filter, dy, g.attr(0).as_ints(),
                               g.attr(1).as_string(), g.attr(2).as_ints(), g.attr(3).as_string(),
                               g.attr(4).as_ints());
}
Tensor filter_grad(const GradContext& g, const Tensor& input, const Tensor& filter,
                   const Tensor& dy) {
  return conv2d_backprop_filter(input, shape_tensor(filter), dy, g.attr(0).as_ints(),
                                g.attr(1).as_string(), g.attr(2).as_ints(), g.attr(3).as_string(),
                                g.attr(4).as_ints());
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
  if (g.needs(2)) grads[2] = forward(g, dx, g.input(1));
  return grads;
}
Gradients grad_filter_grad(const GradContext& g) {
  const Tensor dw = g.dy();
  Gradients grads{{}, {}, {}};
  if (g.needs(0)) grads[0] = input_grad(g, g.input(0), dw, g.input(2));
  if (g.needs(2)) grads[2] = forward(g, g.input(0), dw);
  return grads;
}

// One convolution; the samples of all three ops are made from these.
struct Case {
  DType dtype;
  Shape input, filter, output;
  std::vector<SampleAttr> attrs;
};
std::vector<Case> cases() {
  using enum DType;
  using Ints = std::vector<int64_t>;
  const Ints one{1, 1, 1, 1};
  return {
      {kFloat32,
       {1, 4, 4, 2},
       {3, 3, 2, 3},
       {1, 2, 2, 3},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat64, {2, 5, 4, 1}, {2, 3, 1, 2}, {2, 5, 4, 2}, {{"strides", one}, {"padding", "SAME"}}},
      {kFloat32,
       {1, 5, 6, 2},
       {3, 2, 2, 2},
       {1, 3, 3, 2},
       {{"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}}},
      {kFloat64,
       {1, 6, 5, 1},
       {2, 2, 1, 2},
       {1, 4, 3, 2},
       {{"strides", one}, {"padding", "VALID"}, {"dilations", Ints{1, 2, 2, 1}}}},
      {kFloat64,
       {1, 3, 4, 2},
       {2, 2, 2, 1},
       {1, 3, 3, 1},
       {{"strides", Ints{1, 1, 2, 1}},
        {"padding", "EXPLICIT"},
        {"explicit_paddings", Ints{0, 0, 1, 0, 2, 1, 0, 0}}}},
      {kFloat64,
       {2, 2, 4, 3},
       {2, 2, 2, 3},
       {2, 3, 4, 3},
       {{"strides", one}, {"padding", "SAME"}, {"data_format", "NCHW"}}},
      {kFloat32,
       {1, 3, 3, 4},
       {2, 2, 2, 4},
       {1, 2, 2, 4},
       {{"strides", one}, {"padding", "VALID"}}},
      {kBFloat16,
       {1, 3, 3, 2},
       {2, 2, 2, 2},
       {1, 2, 2, 2},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat16, {1, 3, 3, 2}, {1, 1, 2, 2}, {1, 3, 3, 2}, {{"strides", one}, {"padding", "SAME"}}},
      {kFloat32,
       {0, 3, 3, 2},
       {2, 2, 2, 2},
       {0, 2, 2, 2},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat32,
       {1, 3, 3, 2},
       {2, 2, 2, 0},
       {1, 2, 2, 0},
       {{"strides", one}, {"padding", "VALID"}}},
  };
}
Case large() {
  return {DType::kFloat32,
          {4, 28, 28, 32},
          {3, 3, 32, 64},
          {4, 28, 28, 64},
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

}  // namespace

PEN_OP_DEF(conv2d) = {
    .name = "Conv2D",
    .doc =
        "A filter [height, width, in, out] slid over images; fewer filter channels than the "
        "images have make groups.",
    .inputs = {in("input", kRealFloatTypes), in("filter", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kNoInts)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b11},
    .samples = samples,
};

PEN_OP_DEF(conv2d_backprop_input) = {
    .name = "Conv2DBackpropInput",
    .doc = "The gradient of conv2d with respect to its input.",
    .inputs = {host("input_sizes", kIndexTypes), in("filter", kRealFloatTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kNoInts)},
    .infer = infer_input_grad,
    .cpu = cpu_input_grad,
    .grad = grad_input_grad,
    .saves = {.inputs = 0b110},
    .samples = input_grad_samples,
};

PEN_OP_DEF(conv2d_backprop_filter) = {
    .name = "Conv2DBackpropFilter",
    .doc = "The gradient of conv2d with respect to its filter.",
    .inputs = {in("input", kRealFloatTypes), host("filter_sizes", kIndexTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kNoInts)},
    .infer = infer_filter_grad,
    .cpu = cpu_filter_grad,
    .grad = grad_filter_grad,
    .saves = {.inputs = 0b101},
    .samples = filter_grad_samples,
};

}  // namespace penstock
