// Conv2D and Conv3D with their gradients with respect to the input and to the filter; each one's
// gradients are the other two.
#include <penstock/ops/context.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/conv.h"
#include "kernels/formula.h"
#include "ops/window.h"

namespace penstock {

extern const OpDef conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op;
extern const OpDef conv3d_op, conv3d_backprop_input_op, conv3d_backprop_filter_op;

namespace {

constexpr DTypeSet kConvTypes = kRealFloatTypes | DType::kInt32;

// Images have N spatial axes. The ops of two take explicit paddings too.
template <int N>
WindowAttrs window_attrs(Attrs attrs) {
  if constexpr (N == 2) {
    return {attrs[0].as_ints(), attrs[1].as_string(), attrs[2].as_ints(), attrs[4].as_ints()};
  } else {
    return {attrs[0].as_ints(), attrs[1].as_string(), {}, attrs[3].as_ints()};
  }
}
template <int N>
std::string_view data_format(Attrs attrs) {
  return attrs[N == 2 ? 3 : 2].as_string();
}

// Reads the shapes of input and filter and the attributes; returns the reason if they are
// incompatible, and otherwise null.
template <int N>
const char* read(const Shape& input, const Shape& filter, Attrs attrs, DType dtype,
                 kernels::ConvShape* s, Shape* output) {
  ImageAxes axes;
  if (const char* problem = image_axes(data_format<N>(attrs), N, &axes)) return problem;
  if (input.rank() != N + 2) return "the input must have a dimension for each of its axes";
  if (filter.rank() != N + 2) return "the filter must have as many dimensions as the input";
  if (N == 3 && attrs[1].as_string() == "EXPLICIT") return "padding must be SAME or VALID";
  const int64_t in_channels = input[axes.channel()], filter_channels = filter[N];
  *s = {.dtype = dtype,
        .batch = input[0],
        .in_channels = in_channels,
        .out_channels = filter[N + 1],
        .channels_first = axes.channels_first};
  if (in_channels == 0 || filter_channels == 0 || in_channels % filter_channels != 0)
    return "input depth must be evenly divisible by filter depth";
  s->groups = in_channels / filter_channels;
  if (s->out_channels % s->groups != 0)
    return "output depth must be evenly divisible by number of groups";
  const char* problem = slide_window(window_attrs<N>(attrs), axes, input,
                                     filter.dims().first(static_cast<size_t>(N)), &s->window);
  if (problem == nullptr) *output = axes.output(s->batch, s->window, s->out_channels);
  return problem;
}

Attrs all_attrs(const InferContext& ctx) { return {&ctx.attr(0), ctx.op().attrs.size()}; }

// The convolution of a call; rejects it unless the output has shape `dy`, if given.
template <int N>
kernels::ConvShape check(const InferContext& ctx, const Shape& input, const Shape& filter,
                         const Shape* dy, Shape* output) {
  kernels::ConvShape s;
  const Attrs attrs = all_attrs(ctx);
  if (const char* problem = read<N>(input, filter, attrs, ctx.dtype(dy ? 2 : 0), &s, output)) {
    ctx.fail(problem, ": input ", input, ", filter ", filter, ", strides ", attrs[0], ", padding ",
             attrs[1], ", dilations ", attrs[attrs.size() - 1]);
  }
  if (dy != nullptr && *dy != *output) {
    ctx.fail("out_backprop has shape ", *dy, ", but input ", input, " and filter ", filter,
             " give ", *output);
  }
  return s;
}

template <int N>
Shape unknown_image() {
  Shape shape;
  for (int i = 0; i < N + 2; ++i) shape.append(kUnknownDim);
  return shape;
}

template <int N>
void infer(InferContext& ctx) {
  const Shape &input = ctx.shape(0), &filter = ctx.shape(1);
  if (!input.is_known() || !filter.is_known()) {
    Shape image = unknown_image<N>();
    ImageAxes axes;
    const bool is_format = image_axes(data_format<N>(all_attrs(ctx)), N, &axes) == nullptr;
    if (input.rank() == N + 2) image.set(0, input[0]);
    if (is_format && filter.rank() == N + 2) image.set(axes.channel(), filter[N + 1]);
    if (is_format && filter.is_known() && filter.rank() == N + 2 && input.rank() == N + 2) {
      kernels::ConvShape s;
      Shape output;
      const char* problem = read<N>(sized_image(input, axes, filter[N]), filter, all_attrs(ctx),
                                    ctx.dtype(0), &s, &output);
      if (problem == nullptr) image = without_sizes(output, input, axes);
    }
    return ctx.add_output(ctx.dtype(0), image);
  }
  Shape output;
  const kernels::ConvShape s = check<N>(ctx, input, filter, nullptr, &output);
  if (output.num_elements() > 0) ctx.set_scratch(kernels::conv_scratch_bytes(s));
  ctx.add_output(ctx.dtype(0), output);
}

template <int N>
void infer_input_grad(InferContext& ctx) {
  const Shape input = ctx.shape_value(0);
  const Shape &filter = ctx.shape(1), &dy = ctx.shape(2);
  if (!input.is_known() || !filter.is_known() || !dy.is_known())
    return ctx.add_output(ctx.dtype(2), input);
  Shape output;
  const kernels::ConvShape s = check<N>(ctx, input, filter, &dy, &output);
  if (input.num_elements() > 0 && dy.num_elements() > 0)
    ctx.set_scratch(kernels::conv_input_grad_scratch_bytes(s));
  ctx.add_output(ctx.dtype(2), input);
}

template <int N>
void infer_filter_grad(InferContext& ctx) {
  const Shape filter = ctx.shape_value(1);
  const Shape &input = ctx.shape(0), &dy = ctx.shape(2);
  if (!input.is_known() || !filter.is_known() || !dy.is_known())
    return ctx.add_output(ctx.dtype(2), filter);
  Shape output;
  const kernels::ConvShape s = check<N>(ctx, input, filter, &dy, &output);
  if (filter.num_elements() > 0 && dy.num_elements() > 0)
    ctx.set_scratch(kernels::conv_filter_grad_scratch_bytes(s));
  ctx.add_output(ctx.dtype(2), filter);
}

template <int N>
kernels::ConvShape known(const Shape& input, const Shape& filter, const KernelContext& ctx) {
  kernels::ConvShape s;
  Shape output;
  static_cast<void>(read<N>(input, filter, ctx.attrs, ctx.outputs[0].dtype, &s, &output));
  return s;
}

template <int N>
KernelResult cpu_with(const KernelContext& ctx, const kernels::Epilogue& epilogue) {
  const View &input = ctx.inputs[0], &filter = ctx.inputs[1], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::conv(known<N>(input.shape, filter.shape, ctx), input.data, filter.data, out.data,
                  ctx.scratch, epilogue);
  }
  return KernelResult::ok();
}
template <int N>
KernelResult run(const KernelContext& ctx) {
  return cpu_with<N>(ctx, {});
}
template <int N>
bool has_channels_last(Attrs attrs) {
  return data_format<N>(attrs).ends_with('C');
}
template <int N>
constexpr Kernel cpu{run<N>, &kernels::kProductFormula<cpu_with<N>, has_channels_last<N>>};

template <int N>
KernelResult cpu_input_grad(const KernelContext& ctx) {
  const View &filter = ctx.inputs[1], &dy = ctx.inputs[2], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::conv_input_grad(known<N>(out.shape, filter.shape, ctx), filter.data, dy.data, out.data,
                             ctx.scratch);
  }
  return KernelResult::ok();
}

template <int N>
KernelResult cpu_filter_grad(const KernelContext& ctx) {
  const View &input = ctx.inputs[0], &dy = ctx.inputs[2], &out = ctx.outputs[0];
  if (out.size() > 0) {
    kernels::conv_filter_grad(known<N>(input.shape, out.shape, ctx), input.data, dy.data, out.data,
                              ctx.scratch);
  }
  return KernelResult::ok();
}

// The three ops with the attributes of the differentiated call.
Tensor call(const OpDef& op, const GradContext& g, const Tensor& a, const Tensor& b) {
  const Tensor* inputs[] = {&a, &b};
  return dispatch(op, inputs, g.attrs())[0];
}
Tensor call(const OpDef& op, const GradContext& g, const Tensor& a, const Tensor& b,
            const Tensor& c) {
  const Tensor* inputs[] = {&a, &b, &c};
  return dispatch(op, inputs, g.attrs())[0];
}
template <int N>
Tensor forward(const GradContext& g, const Tensor& input, const Tensor& filter) {
  return call(N == 2 ? conv2d_op : conv3d_op, g, input, filter);
}
template <int N>
Tensor input_grad(const GradContext& g, const Tensor& input, const Tensor& filter,
                  const Tensor& dy) {
  return call(N == 2 ? conv2d_backprop_input_op : conv3d_backprop_input_op, g, shape_tensor(input),
              filter, dy);
}
template <int N>
Tensor filter_grad(const GradContext& g, const Tensor& input, const Tensor& filter,
                   const Tensor& dy) {
  return call(N == 2 ? conv2d_backprop_filter_op : conv3d_backprop_filter_op, g, input,
              shape_tensor(filter), dy);
}

template <int N>
Gradients grad(const GradContext& g) {
  const Tensor dy = g.dy();
  Gradients grads{{}, {}};
  if (g.needs(0)) grads[0] = input_grad<N>(g, g.input(0), g.input(1), dy);
  if (g.needs(1)) grads[1] = filter_grad<N>(g, g.input(0), g.input(1), dy);
  return grads;
}
template <int N>
Gradients grad_input_grad(const GradContext& g) {
  const Tensor dx = g.dy();
  Gradients grads{{}, {}, {}};
  if (g.needs(1)) grads[1] = filter_grad<N>(g, dx, g.input(1), g.input(2));
  if (g.needs(2)) grads[2] = forward<N>(g, dx, g.input(1));
  return grads;
}
template <int N>
Gradients grad_filter_grad(const GradContext& g) {
  const Tensor dw = g.dy();
  Gradients grads{{}, {}, {}};
  if (g.needs(0)) grads[0] = input_grad<N>(g, g.input(0), dw, g.input(2));
  if (g.needs(2)) grads[2] = forward<N>(g, g.input(0), dw);
  return grads;
}

// One convolution, from which the samples of all three ops are made.
struct Case {
  DType dtype;
  Shape input, filter, output;
  std::vector<SampleAttr> attrs;
  bool check_grad = true;  // false where it would take long
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
      // Enough channels to be read in place; tiles do not divide the rows and columns.
      {kFloat32,
       {2, 7, 6, 20},
       {3, 2, 20, 35},
       {2, 4, 2, 35},
       {{"strides", Ints{1, 2, 3, 1}}, {"padding", "SAME"}},
       false},
      {kFloat64,
       {1, 5, 7, 18},
       {2, 3, 9, 10},
       {1, 5, 7, 10},
       {{"strides", one}, {"padding", "SAME"}, {"dilations", Ints{1, 2, 1, 1}}},
       false},
      {kFloat32,
       {2, 9, 6, 5},
       {2, 2, 9, 11},
       {2, 11, 3, 3},
       {{"strides", Ints{1, 1, 2, 2}}, {"padding", "SAME"}, {"data_format", "NCHW"}},
       false},
      {kBFloat16,
       {1, 6, 6, 12},
       {3, 3, 12, 8},
       {1, 2, 2, 8},
       {{"strides", Ints{1, 3, 3, 1}}, {"padding", "SAME"}},
       false},
      {kFloat64,
       {1, 7, 6, 1},
       {2, 1, 1, 2},
       {1, 2, 3, 2},
       {{"strides", Ints{1, 4, 2, 1}}, {"padding", "VALID"}, {"dilations", Ints{1, 2, 1, 1}}}},
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

std::vector<Case> cases_3d() {
  using enum DType;
  using Ints = std::vector<int64_t>;
  const Ints one{1, 1, 1, 1, 1};
  return {
      {kFloat32,
       {1, 3, 4, 3, 2},
       {2, 2, 2, 2, 3},
       {1, 2, 3, 2, 3},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat64,
       {2, 3, 4, 3, 1},
       {2, 3, 1, 1, 2},
       {2, 2, 2, 3, 2},
       {{"strides", Ints{1, 2, 2, 1, 1}}, {"padding", "SAME"}}},
      {kFloat64,
       {1, 2, 3, 2, 3},
       {2, 1, 2, 2, 1},
       {1, 1, 3, 2, 3},
       {{"strides", one}, {"padding", "SAME"}, {"data_format", "NCDHW"}}},
      {kFloat32,
       {1, 5, 4, 5, 8},
       {2, 2, 3, 4, 6},
       {1, 3, 3, 3, 6},
       {{"strides", one}, {"padding", "VALID"}, {"dilations", Ints{1, 2, 1, 1, 1}}},
       false},
      {kBFloat16,
       {1, 2, 2, 2, 2},
       {1, 2, 1, 2, 2},
       {1, 2, 1, 2, 2},
       {{"strides", one}, {"padding", "VALID"}}},
      {kFloat32,
       {0, 2, 2, 2, 2},
       {1, 1, 1, 2, 2},
       {0, 2, 2, 2, 2},
       {{"strides", one}, {"padding", "VALID"}}},
  };
}
Case large_3d() {
  return {DType::kFloat32,
          {1, 16, 28, 28, 32},
          {3, 3, 3, 32, 32},
          {1, 16, 28, 28, 32},
          {{"strides", std::vector<int64_t>{1, 1, 1, 1, 1}}, {"padding", "SAME"}}};
}

SampleInput sizes(const Shape& shape) {
  return ints(std::vector<double>(shape.begin(), shape.end()));
}

template <typename Inputs>
std::vector<Sample> make_samples(int spatial, const Inputs& inputs) {
  std::vector<Sample> list;
  for (const Case& c : spatial == 2 ? cases() : cases_3d()) {
    list.push_back({inputs(c), c.attrs, 0, c.check_grad});
  }
  const Case timed = spatial == 2 ? large() : large_3d();
  list.push_back({.inputs = inputs(timed), .attrs = timed.attrs, .for_speed = true});
  return list;
}
template <int N>
std::vector<Sample> samples() {
  std::vector<Sample> list = make_samples(N, [](const Case& c) {
    return std::vector<SampleInput>{of(c.dtype, c.input), of(c.dtype, c.filter)};
  });
  if (N == 2) {
    list.push_back(
        {{i32({1, 3, 4, 2}), i32({2, 2, 1, 4})}, {{"strides", {1, 1, 2, 1}}, {"padding", "SAME"}}});
  }
  return list;
}
template <int N>
std::vector<Sample> input_grad_samples() {
  std::vector<Sample> list = make_samples(N, [](const Case& c) {
    return std::vector<SampleInput>{sizes(c.input), of(c.dtype, c.filter), of(c.dtype, c.output)};
  });
  if (N == 2) {
    list.push_back({{ints({1, 3, 4, 2}), i32({2, 2, 1, 4}), i32({1, 3, 2, 4})},
                    {{"strides", {1, 1, 2, 1}}, {"padding", "SAME"}}});
  }
  return list;
}
template <int N>
std::vector<Sample> filter_grad_samples() {
  return make_samples(N, [](const Case& c) {
    return std::vector<SampleInput>{of(c.dtype, c.input), sizes(c.filter), of(c.dtype, c.output)};
  });
}

}  // namespace

PEN_OP_DEF(conv2d) = {
    .name = "Conv2D",
    .doc =
        "A filter [height, width, in, out] slid over images; fewer filter channels than the "
        "images have make groups.",
    .inputs = {in("input", kConvTypes), in("filter", kConvTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .infer = infer<2>,
    .cpu = cpu<2>,
    .grad = grad<2>,
    .saves = {.inputs = 0b11},
    .samples = samples<2>,
};

PEN_OP_DEF(conv2d_backprop_input) = {
    .name = "Conv2DBackpropInput",
    .doc = "The gradient of conv2d with respect to its input.",
    .inputs = {host("input_sizes", kIndexTypes), in("filter", kConvTypes),
               in("out_backprop", kConvTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .infer = infer_input_grad<2>,
    .cpu = cpu_input_grad<2>,
    .grad = grad_input_grad<2>,
    .saves = {.inputs = 0b110},
    .samples = input_grad_samples<2>,
};

PEN_OP_DEF(conv2d_backprop_filter) = {
    .name = "Conv2DBackpropFilter",
    .doc = "The gradient of conv2d with respect to its filter.",
    .inputs = {in("input", kRealFloatTypes), host("filter_sizes", kIndexTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), ints_attr("explicit_paddings", kNoInts),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .infer = infer_filter_grad<2>,
    .cpu = cpu_filter_grad<2>,
    .grad = grad_filter_grad<2>,
    .saves = {.inputs = 0b101},
    .samples = filter_grad_samples<2>,
};

PEN_OP_DEF(conv3d) = {
    .name = "Conv3D",
    .doc = "A filter [depth, height, width, in, out] slid over volumes.",
    .inputs = {in("input", kRealFloatTypes), in("filter", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), string_attr("data_format", "NDHWC"),
              ints_attr("dilations", kOptionalInts)},
    .infer = infer<3>,
    .cpu = cpu<3>,
    .grad = grad<3>,
    .saves = {.inputs = 0b11},
    .samples = samples<3>,
};

PEN_OP_DEF(conv3d_backprop_input) = {
    .name = "Conv3DBackpropInputV2",
    .doc = "The gradient of conv3d with respect to its input.",
    .inputs = {host("input_sizes", kIndexTypes), in("filter", kRealFloatTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), string_attr("data_format", "NDHWC"),
              ints_attr("dilations", kOptionalInts)},
    .infer = infer_input_grad<3>,
    .cpu = cpu_input_grad<3>,
    .grad = grad_input_grad<3>,
    .saves = {.inputs = 0b110},
    .samples = input_grad_samples<3>,
};

PEN_OP_DEF(conv3d_backprop_filter) = {
    .name = "Conv3DBackpropFilterV2",
    .doc = "The gradient of conv3d with respect to its filter.",
    .inputs = {in("input", kRealFloatTypes), host("filter_sizes", kIndexTypes),
               in("out_backprop", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), string_attr("data_format", "NDHWC"),
              ints_attr("dilations", kOptionalInts)},
    .infer = infer_filter_grad<3>,
    .cpu = cpu_filter_grad<3>,
    .grad = grad_filter_grad<3>,
    .saves = {.inputs = 0b101},
    .samples = filter_grad_samples<3>,
};

}  // namespace penstock
