// Composed convolutions: over one axis, transposed, dilated, separable, and tf.nn.convolution for
// any rank.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "ops/window.h"

namespace penstock {
namespace {

// One axis is treated as two, the first with one position. Inputs get that axis, outputs lose it;
// `first` means data format "NCW".
bool read_1d(const ComposeContext& ctx, size_t format) {
  const std::string_view text = ctx.attr(format).as_string();
  if (text != "NWC" && text != "NCW") ctx.fail("data_format must be NWC or NCW, not ", text);
  for (size_t i = 0; i < 2; ++i) ctx.check_rank(i, 3);
  return text == "NCW";
}
Tensor with_axis(const Tensor& x, bool first) { return expand_dims(x, first ? 2 : 1); }
Tensor without_axis(const Tensor& y, bool first) { return squeeze(y, {first ? 2 : 1}); }
const char* format_2d(bool first) { return first ? "NCHW" : "NHWC"; }

// A list for one axis as the list for two.
IntVector list_2d(const ComposeContext& ctx, std::string_view what, size_t attr, bool first) {
  IntVector list = full_list(ctx, what, ctx.attr(attr).as_ints(), {1, first});
  const int64_t along = list[first ? 2 : 1];
  return first ? IntVector{1, 1, 1, along} : IntVector{1, 1, along, 1};
}

Tensors compose_conv1d(const ComposeContext& ctx) {
  const bool first = read_1d(ctx, 2);
  const IntVector strides = list_2d(ctx, "stride", 0, first);
  const IntVector dilations = list_2d(ctx, "dilations", 3, first);
  return {without_axis(
      conv2d(with_axis(ctx.tensor(0), first), expand_dims(ctx.tensor(1), 0), as_list(strides),
             ctx.attr(1).as_string(), {}, format_2d(first), as_list(dilations)),
      first)};
}

// The sizes that host input 2 gives for `rank` dimensions.
IntVector output_sizes(const ComposeContext& ctx, size_t rank) {
  IntVector sizes = ctx.values(2);
  if (sizes.size() != rank) {
    ctx.fail("output_shape must have ", rank, " elements, but has ", sizes.size());
  }
  return sizes;
}

Tensors compose_conv1d_transpose(const ComposeContext& ctx) {
  const bool first = read_1d(ctx, 2);
  const IntVector sizes = output_sizes(ctx, 3);
  const IntVector shape = first ? IntVector{sizes[0], sizes[1], 1, sizes[2]}
                                : IntVector{sizes[0], 1, sizes[1], sizes[2]};
  const IntVector strides = list_2d(ctx, "strides", 0, first);
  const IntVector dilations = list_2d(ctx, "dilations", 3, first);
  return {without_axis(
      conv2d_backprop_input(int_tensor(shape), expand_dims(ctx.tensor(1), 0),
                            with_axis(ctx.tensor(0), first), as_list(strides),
                            ctx.attr(1).as_string(), {}, format_2d(first), as_list(dilations)),
      first)};
}

ImageAxes read_axes(const ComposeContext& ctx, size_t format, int spatial) {
  ImageAxes axes;
  if (const char* problem = image_axes(ctx.attr(format).as_string(), spatial, &axes))
    ctx.fail(problem);
  return axes;
}

template <int N>
Tensors compose_transpose(const ComposeContext& ctx) {
  const ImageAxes axes = read_axes(ctx, 2, N);
  const IntVector strides = full_list(ctx, "strides", ctx.attr(0).as_ints(), axes);
  const IntVector dilations = full_list(ctx, "dilations", ctx.attr(3).as_ints(), axes);
  const IntVector sizes = output_sizes(ctx, N + 2);
  const std::string_view padding = ctx.attr(1).as_string(), format = ctx.attr(2).as_string();
  if (N == 2) {
    return {conv2d_backprop_input(int_tensor(sizes), ctx.tensor(1), ctx.tensor(0), as_list(strides),
                                  padding, {}, format, as_list(dilations))};
  }
  return {conv3d_backprop_input(int_tensor(sizes), ctx.tensor(1), ctx.tensor(0), as_list(strides),
                                padding, format, as_list(dilations))};
}

Tensors compose_atrous(const ComposeContext& ctx) {
  const int64_t rate = ctx.attr(0).as_int();
  return {conv2d(ctx.tensor(0), ctx.tensor(1), {1, 1, 1, 1}, ctx.attr(1).as_string(), {}, "NHWC",
                 {1, rate, rate, 1})};
}

Tensors compose_atrous_transpose(const ComposeContext& ctx) {
  const int64_t rate = ctx.attr(0).as_int();
  const IntVector sizes = output_sizes(ctx, 4);
  return {conv2d_backprop_input(int_tensor(sizes), ctx.tensor(1), ctx.tensor(0), {1, 1, 1, 1},
                                ctx.attr(1).as_string(), {}, "NHWC", {1, rate, rate, 1})};
}

Tensors compose_separable(const ComposeContext& ctx) {
  const ImageAxes axes = read_axes(ctx, 2, 2);
  const IntVector dilations = full_list(ctx, "dilations", ctx.attr(3).as_ints(), axes);
  const Shape& pointwise = ctx.shape(2);
  if (pointwise.rank() != 4 || pointwise[0] != 1 || pointwise[1] != 1) {
    ctx.fail("pointwise_filter must have shape [1,1,channels,out channels], but has ", pointwise);
  }
  const Tensor depthwise =
      depthwise_conv2d(ctx.tensor(0), ctx.tensor(1), ctx.attr(0).as_ints(), ctx.attr(1).as_string(),
                       {}, ctx.attr(2).as_string(), as_list(dilations));
  if (pointwise[2] != depthwise.dim(axes.channel())) {
    ctx.fail("pointwise_filter ", pointwise, " does not fit the depthwise result ",
             depthwise.shape());
  }
  return {conv2d(depthwise, ctx.tensor(2), {1, 1, 1, 1}, "VALID", {}, ctx.attr(2).as_string())};
}

Tensors compose_convolution(const ComposeContext& ctx) {
  const int spatial = ctx.shape(0).rank() - 2;
  if (spatial < 1 || spatial > 3) {
    ctx.fail("the input must have 3 to 5 dimensions, but its shape is ", ctx.shape(0));
  }
  const std::string_view padding = ctx.attr(1).as_string(), format = ctx.attr(2).as_string();
  const ImageAxes axes{spatial, format.starts_with("NC")};
  const IntVector strides = full_list(ctx, "strides", ctx.attr(0).as_ints(), axes);
  const IntVector dilations = full_list(ctx, "dilations", ctx.attr(3).as_ints(), axes);
  const Tensor &x = ctx.tensor(0), &w = ctx.tensor(1);
  if (spatial == 1) {
    return {conv1d(x, w, as_list(strides), padding, format.empty() ? "NWC" : format,
                   as_list(dilations))};
  }
  if (spatial == 2) {
    return {conv2d(x, w, as_list(strides), padding, {}, format.empty() ? "NHWC" : format,
                   as_list(dilations))};
  }
  return {conv3d(x, w, as_list(strides), padding, format.empty() ? "NDHWC" : format,
                 as_list(dilations))};
}

using enum DType;

std::vector<Sample> conv1d_samples() {
  return {
      {{f32({2, 5, 2}), f32({3, 2, 3})}, {{"stride", {1}}, {"padding", "VALID"}}},
      {{of(kFloat64, {1, 6, 2}), of(kFloat64, {2, 2, 1})}, {{"stride", {2}}, {"padding", "SAME"}}},
      {{of(kFloat64, {1, 2, 6}), of(kFloat64, {2, 2, 3})},
       {{"stride", {1}}, {"padding", "SAME"}, {"data_format", "NCW"}, {"dilations", {2}}}},
      {{of(kBFloat16, {1, 4, 2}), of(kBFloat16, {2, 1, 2})},
       {{"stride", {1, 1, 1}}, {"padding", "SAME"}}},
      {{f32({0, 4, 2}), f32({2, 2, 2})}, {{"stride", {1}}, {"padding", "SAME"}}},
  };
}
std::vector<Sample> conv1d_transpose_samples() {
  return {
      {{f32({1, 3, 2}), f32({3, 4, 2}), ints({1, 6, 4})}, {{"strides", {2}}}},
      {{of(kFloat64, {1, 2, 3}), of(kFloat64, {2, 1, 2}), ints({1, 1, 4})},
       {{"strides", {1}}, {"padding", "VALID"}, {"data_format", "NCW"}}},
  };
}
std::vector<Sample> conv2d_transpose_samples() {
  return {
      {{f32({1, 2, 3, 2}), f32({3, 3, 4, 2}), ints({1, 4, 6, 4})}, {{"strides", {2}}}},
      {{of(kFloat64, {1, 2, 2, 2}), of(kFloat64, {2, 2, 1, 2}), ints({1, 5, 4, 1})},
       {{"strides", {1, 3, 2, 1}}, {"padding", "VALID"}}},
      {{of(kFloat64, {1, 1, 2, 3}), of(kFloat64, {2, 2, 2, 1}), ints({1, 2, 4, 3})},
       {{"strides", {2, 1}}, {"data_format", "NCHW"}}},
      {{of(kBFloat16, {1, 2, 2, 1}), of(kBFloat16, {1, 2, 1, 1}), ints({1, 2, 2, 1})},
       {{"strides", {1}}, {"dilations", {1, 2}}}},
      {.inputs = {f32({4, 28, 28, 32}), f32({3, 3, 32, 32}), ints({4, 56, 56, 32})},
       .attrs = {{"strides", {2}}},
       .for_speed = true},
  };
}
std::vector<Sample> conv3d_transpose_samples() {
  return {
      {{f32({1, 1, 2, 2, 1}), f32({2, 2, 1, 2, 1}), ints({1, 2, 4, 2, 2})},
       {{"strides", {2, 2, 1}}}},
      {{of(kFloat64, {1, 2, 1, 2, 1}), of(kFloat64, {1, 1, 2, 1, 2}), ints({1, 1, 1, 2, 2})},
       {{"strides", {1}}, {"padding", "VALID"}, {"data_format", "NCDHW"}}},
  };
}
std::vector<Sample> atrous_samples() {
  return {
      {{f32({1, 5, 5, 2}), f32({2, 2, 2, 2})}, {{"rate", 2}, {"padding", "SAME"}}},
      {{of(kFloat64, {1, 5, 4, 1}), of(kFloat64, {2, 2, 1, 2})},
       {{"rate", 3}, {"padding", "VALID"}}},
  };
}
std::vector<Sample> atrous_transpose_samples() {
  return {
      {{f32({1, 3, 3, 2}), f32({2, 2, 1, 2}), ints({1, 5, 5, 1})},
       {{"rate", 2}, {"padding", "VALID"}}},
      {{of(kFloat64, {1, 4, 4, 1}), of(kFloat64, {2, 2, 2, 1}), ints({1, 4, 4, 2})},
       {{"rate", 2}, {"padding", "SAME"}}},
  };
}
std::vector<Sample> separable_samples() {
  return {
      {{f32({1, 4, 4, 2}), f32({2, 2, 2, 2}), f32({1, 1, 4, 3})},
       {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}}},
      {{of(kFloat64, {1, 2, 5, 4}), of(kFloat64, {3, 3, 2, 1}), of(kFloat64, {1, 1, 2, 2})},
       {{"strides", {1, 1, 2, 2}}, {"padding", "SAME"}, {"data_format", "NCHW"}}},
      {{of(kFloat64, {1, 4, 4, 1}), of(kFloat64, {2, 2, 1, 1}), of(kFloat64, {1, 1, 1, 2})},
       {{"strides", {1, 1, 1, 1}}, {"padding", "VALID"}, {"dilations", {2, 1}}}},
  };
}
std::vector<Sample> convolution_samples() {
  return {
      {{f32({1, 5, 2}), f32({2, 2, 3})}},
      {{f32({1, 4, 4, 1}), f32({2, 2, 1, 2})}, {{"strides", {2, 1}}, {"padding", "SAME"}}},
      {{of(kFloat64, {1, 1, 4, 4}), of(kFloat64, {2, 2, 1, 2})},
       {{"dilations", {2}}, {"data_format", "NCHW"}}},
      {{of(kFloat64, {1, 2, 3, 3, 1}), of(kFloat64, {2, 1, 2, 1, 2})}, {{"padding", "SAME"}}},
  };
}

// A convolution over one dimension is one over two.
LateName late_convolution(const GraphCall& call) {
  if (call.is_dilated()) return {"BatchToSpaceND"};
  const bool is_flat = call.shape().has_rank() && call.shape().rank() == 3;
  return {is_flat ? "Squeeze" : ""};
}

LateName late_atrous(const GraphCall& call) {
  return {call.attr("rate").as_int() == 1 ? "" : "BatchToSpaceND"};
}

LateName late_atrous_transpose(const GraphCall& call) {
  return {call.attr("rate").as_int() == 1 ? "conv2d_transpose" : "BatchToSpaceND"};
}

}  // namespace

PEN_OP_DEF(conv1d) = {
    .name = "Conv1D",
    .doc = "A filter [width, in, out] slid over rows.",
    .inputs = {in("input", kRealFloatTypes), in("filters", kRealFloatTypes)},
    .attrs = {ints_attr("stride"), string_attr("padding"), string_attr("data_format", "NWC"),
              ints_attr("dilations", kOptionalInts)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_conv1d,
    .grad = composed_gradient,
    .samples = conv1d_samples,
    .graph_name = {"conv1d", "Squeeze"},
};

PEN_OP_DEF(conv1d_transpose) = {
    .name = "Conv1DTranspose",
    .doc = "The transpose of conv1d, to a result of shape `output_shape`.",
    .inputs = {in("input", kRealFloatTypes), in("filters", kRealFloatTypes),
               host("output_shape", kIndexTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding", "SAME"),
              string_attr("data_format", "NWC"), ints_attr("dilations", kOptionalInts)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_conv1d_transpose,
    .grad = composed_gradient,
    .samples = conv1d_transpose_samples,
    .graph_name = {"conv1d_transpose", "Squeeze"},
};

PEN_OP_DEF(conv2d_transpose) = {
    .name = "Conv2DTranspose",
    .doc = "The transpose of conv2d, to a result of shape `output_shape`.",
    .inputs = {in("input", kRealFloatTypes), in("filters", kRealFloatTypes),
               host("output_shape", kIndexTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding", "SAME"),
              string_attr("data_format", "NHWC"), ints_attr("dilations", kOptionalInts)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_transpose<2>,
    .grad = composed_gradient,
    .samples = conv2d_transpose_samples,
};

PEN_OP_DEF(conv3d_transpose) = {
    .name = "Conv3DTranspose",
    .doc = "The transpose of conv3d, to a result of shape `output_shape`.",
    .inputs = {in("input", kRealFloatTypes), in("filters", kRealFloatTypes),
               host("output_shape", kIndexTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding", "SAME"),
              string_attr("data_format", "NDHWC"), ints_attr("dilations", kOptionalInts)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_transpose<3>,
    .grad = composed_gradient,
    .samples = conv3d_transpose_samples,
    .graph_name = {"conv3d_transpose"},
};

PEN_OP_DEF(atrous_conv2d) = {
    .name = "AtrousConv2D",
    .doc = "conv2d with a filter whose elements are `rate` apart.",
    .inputs = {in("value", kRealFloatTypes), in("filters", kRealFloatTypes)},
    .attrs = {int_attr("rate"), string_attr("padding")},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_atrous,
    .grad = composed_gradient,
    .samples = atrous_samples,
    .graph_name = {.scope = "convolution", .late = late_atrous},
};

PEN_OP_DEF(atrous_conv2d_transpose) = {
    .name = "AtrousConv2DTranspose",
    .doc = "The transpose of atrous_conv2d, to a result of shape `output_shape`.",
    .inputs = {in("value", kRealFloatTypes), in("filters", kRealFloatTypes),
               host("output_shape", kIndexTypes)},
    .attrs = {int_attr("rate"), string_attr("padding")},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_atrous_transpose,
    .grad = composed_gradient,
    .samples = atrous_transpose_samples,
    .graph_name = {.scope = "atrous_conv2d_transpose", .late = late_atrous_transpose},
};

PEN_OP_DEF(separable_conv2d) = {
    .name = "SeparableConv2D",
    .doc = "depthwise_conv2d, whose channels are then mixed position by position.",
    .inputs = {in("input", kRealFloatTypes), in("depthwise_filter", kRealFloatTypes),
               in("pointwise_filter", kRealFloatTypes)},
    .attrs = {ints_attr("strides"), string_attr("padding"), string_attr("data_format", "NHWC"),
              ints_attr("dilations", kOptionalInts)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_separable,
    .grad = composed_gradient,
    .samples = separable_samples,
};

PEN_OP_DEF(convolution) = {
    .name = "Convolution",
    .doc = "conv1d, conv2d or conv3d, as the input's dimensions say.",
    .inputs = {in("input", kRealFloatTypes), in("filters", kRealFloatTypes)},
    .attrs = {ints_attr("strides", kOptionalInts), string_attr("padding", "VALID"),
              string_attr("data_format", ""), ints_attr("dilations", kOptionalInts)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_convolution,
    .grad = composed_gradient,
    .samples = convolution_samples,
    .graph_name = {.scope = "convolution", .late = late_convolution},
};

}  // namespace penstock
