// MaxPool and AvgPool with their gradients, over two and three axes.
#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/pool.h"
#include "ops/window.h"

namespace penstock {

extern const OpDef max_pool_grad_op, max_pool_grad_grad_op, avg_pool_op, avg_pool_grad_op;
extern const OpDef max_pool3d_grad_op, max_pool3d_grad_grad_op, avg_pool3d_op, avg_pool3d_grad_op;

namespace {

// The attributes begin with ksize, strides, padding and data_format; explicit_paddings may follow.
WindowAttrs window_attrs(Attrs attrs) {
  return {attrs[1].as_ints(), attrs[2].as_string(),
          attrs.size() > 4 ? attrs[4].as_ints() : std::span<const int64_t>()};
}

// Reads the input's shape and the attributes; returns the reason if they are incompatible, and
// otherwise null.
template <int N>
const char* read(const Shape& input, Attrs attrs, DType dtype, kernels::PoolShape* s,
                 Shape* output) {
  ImageAxes axes;
  if (const char* problem = image_axes(attrs[3].as_string(), N, &axes)) return problem;
  if (input.rank() != N + 2) return "the input must have a dimension for each of its axes";
  const auto ksize = attrs[0].as_ints();
  if (ksize.size() != N + 2) return "ksize must be a number for every dimension";
  if (ksize[0] != 1 || ksize[static_cast<size_t>(axes.channel())] != 1)
    return "ksize over the batch and the channels must be 1";
  if (attrs.size() <= 4 && attrs[2].as_string() == "EXPLICIT")
    return "padding must be SAME or VALID";
  *s = {.dtype = dtype,
        .batch = input[0],
        .channels = input[axes.channel()],
        .channels_first = axes.channels_first};
  const WindowAttrs window = window_attrs(attrs);
  const char* problem =
      slide_window(window, axes, input, ksize.subspan(axes.channels_first ? 2 : 1, N), &s->window);
  if (problem != nullptr) return problem;
  for (int i = 3 - N; i < 3 && window.padding == "EXPLICIT"; ++i) {
    const kernels::WindowAxis& axis = s->window[static_cast<size_t>(i)];
    const auto k = 2 * static_cast<size_t>(axes.axis(i));
    if (std::max(window.explicit_paddings[k], window.explicit_paddings[k + 1]) >= axis.size)
      return "explicit_paddings must be smaller than the window";
    if (axis.in == 0 && axis.out > 0) return "padding alone has no largest value";
  }
  *output = axes.output(s->batch, s->window, s->channels);
  return nullptr;
}

template <int N>
Shape pooled(const InferContext& ctx, const Shape& input, DType dtype) {
  kernels::PoolShape s;
  Shape output;
  const Attrs attrs{&ctx.attr(0), ctx.op().attrs.size()};
  if (const char* problem = read<N>(input, attrs, dtype, &s, &output)) {
    ctx.fail(problem, ": input ", input, ", ksize ", attrs[0], ", strides ", attrs[1], ", padding ",
             attrs[2]);
  }
  return output;
}

template <int N>
kernels::PoolShape known(const KernelContext& ctx, const Shape& input) {
  kernels::PoolShape s;
  Shape output;
  static_cast<void>(read<N>(input, ctx.attrs, ctx.outputs[0].dtype, &s, &output));
  return s;
}

template <int N>
void infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  if (x.is_known()) return ctx.add_output(ctx.dtype(0), pooled<N>(ctx, x, ctx.dtype(0)));
  Shape image;
  for (int i = 0; i < N + 2; ++i) image.append(kUnknownDim);
  if (x.rank() == N + 2) {
    kernels::PoolShape s;
    Shape output;
    const Attrs attrs{&ctx.attr(0), ctx.op().attrs.size()};
    constexpr int64_t kLarge = 1 << 12;
    Shape sized = x;
    for (int i = 0; i < sized.rank(); ++i) {
      if (sized[i] == kUnknownDim) sized.set(i, kLarge);
    }
    // Each axis of the result follows from the same axis of the input.
    if (read<N>(sized, attrs, ctx.dtype(0), &s, &output) == nullptr) image = output;
    for (int i = 0; i < x.rank(); ++i) {
      if (x[i] == kUnknownDim) image.set(i, kUnknownDim);
    }
  }
  ctx.add_output(ctx.dtype(0), image);
}

// `given` is a tensor of the pooled shape.
template <int N>
void check_pooled(const InferContext& ctx, const Shape& input, size_t given) {
  if (!input.is_known() || !ctx.shape(given).is_known()) return;
  const Shape output = pooled<N>(ctx, input, ctx.dtype(given));
  if (ctx.shape(given) != output) {
    ctx.fail("input '", ctx.op().inputs[given].name, "' has shape ", ctx.shape(given),
             ", but pooling ", input, " gives ", output);
  }
}

template <int N>
void infer_max_grad(InferContext& ctx) {
  check_pooled<N>(ctx, ctx.shape(0), 1);
  check_pooled<N>(ctx, ctx.shape(0), 2);
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

template <int N>
void infer_max_grad_grad(InferContext& ctx) {
  check_pooled<N>(ctx, ctx.shape(0), 1);
  if (ctx.shape(2).is_known() && ctx.shape(0).is_known() && ctx.shape(2) != ctx.shape(0)) {
    ctx.fail("grad has shape ", ctx.shape(2), ", but must have that of orig_input: ", ctx.shape(0));
  }
  ctx.add_output(ctx.dtype(0), ctx.shape(1));
}

template <int N>
void infer_avg_grad(InferContext& ctx) {
  const Shape input = ctx.shape_value(0);
  check_pooled<N>(ctx, input, 1);
  ctx.add_output(ctx.dtype(1), input);
}

template <int N>
KernelResult cpu_max(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &y = ctx.outputs[0];
  if (y.size() > 0) kernels::max_pool(known<N>(ctx, x.shape), x.data, y.data);
  return KernelResult::ok();
}
template <int N>
KernelResult cpu_avg(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &y = ctx.outputs[0];
  if (y.size() > 0) kernels::avg_pool(known<N>(ctx, x.shape), x.data, y.data);
  return KernelResult::ok();
}
template <int N>
KernelResult cpu_max_grad(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &dx = ctx.outputs[0];
  if (dx.size() > 0) {
    kernels::max_pool_grad(known<N>(ctx, x.shape), x.data, ctx.inputs[1].data, ctx.inputs[2].data,
                           dx.data);
  }
  return KernelResult::ok();
}
template <int N>
KernelResult cpu_max_grad_grad(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &ddy = ctx.outputs[0];
  if (ddy.size() > 0) {
    kernels::max_pool_grad_grad(known<N>(ctx, x.shape), x.data, ctx.inputs[1].data,
                                ctx.inputs[2].data, ddy.data);
  }
  return KernelResult::ok();
}
template <int N>
KernelResult cpu_avg_grad(const KernelContext& ctx) {
  const View& dx = ctx.outputs[0];
  if (dx.size() > 0) kernels::avg_pool_grad(known<N>(ctx, dx.shape), ctx.inputs[1].data, dx.data);
  return KernelResult::ok();
}

// An op of the family with the attributes of the differentiated call.
Tensor call(const OpDef& op, const GradContext& g, std::initializer_list<const Tensor*> inputs) {
  return dispatch(op, {inputs.begin(), inputs.size()}, g.attrs())[0];
}

template <int N>
Gradients grad_max(const GradContext& g) {
  const Tensor dy = g.dy();
  return {call(N == 2 ? max_pool_grad_op : max_pool3d_grad_op, g, {&g.input(0), &g.output(), &dy})};
}
// As in TensorFlow, the largest element is assumed to stay the largest.
template <int N>
Gradients grad_max_grad(const GradContext& g) {
  const Tensor ddx = g.dy();
  const auto zeros = [&](size_t i) {
    return g.needs(i) ? Gradient(zeros_like(g.input(i))) : Gradient();
  };
  return {zeros(0), zeros(1),
          call(N == 2 ? max_pool_grad_grad_op : max_pool3d_grad_grad_op, g,
               {&g.input(0), &g.input(1), &ddx})};
}
template <int N>
Gradients grad_max_grad_grad(const GradContext& g) {
  const Tensor ddy = g.dy();
  return {
      {},
      {},
      call(N == 2 ? max_pool_grad_op : max_pool3d_grad_op, g, {&g.input(0), &g.input(1), &ddy})};
}
template <int N>
Gradients grad_avg(const GradContext& g) {
  const Tensor shape = shape_tensor(g.input(0)), dy = g.dy();
  return {call(N == 2 ? avg_pool_grad_op : avg_pool3d_grad_op, g, {&shape, &dy})};
}
template <int N>
Gradients grad_avg_grad(const GradContext& g) {
  const Tensor dx = g.dy();
  return {{}, call(N == 2 ? avg_pool_op : avg_pool3d_op, g, {&dx})};
}

// One pooling, from which the samples of all ops are made.
struct Case {
  DType dtype;
  Shape input, output;
  std::vector<SampleAttr> attrs;
};
using Ints = std::vector<int64_t>;
std::vector<SampleAttr> attrs(Ints ksize, Ints strides, const char* padding,
                              const char* data_format = nullptr) {
  std::vector<SampleAttr> list{
      {"ksize", std::move(ksize)}, {"strides", std::move(strides)}, {"padding", padding}};
  if (data_format != nullptr) list.push_back({"data_format", data_format});
  return list;
}
std::vector<Case> cases_2d() {
  using enum DType;
  return {
      {kFloat32, {1, 4, 4, 2}, {1, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")},
      {kFloat64, {2, 5, 4, 1}, {2, 3, 2, 1}, attrs({1, 3, 3, 1}, {1, 2, 2, 1}, "SAME")},
      {kFloat64, {1, 3, 4, 3}, {1, 3, 4, 3}, attrs({1, 2, 3, 1}, {1, 1, 1, 1}, "SAME")},
      {kFloat64, {1, 2, 4, 5}, {1, 2, 3, 4}, attrs({1, 1, 2, 2}, {1, 1, 1, 1}, "VALID", "NCHW")},
      {kFloat32, {1, 5, 5, 2}, {1, 2, 2, 2}, attrs({1, 1, 2, 1}, {1, 3, 3, 1}, "SAME")},
      {kFloat32, {1, 2, 3, 21}, {1, 1, 2, 21}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
      {kFloat64, {1, 9, 9, 1}, {1, 1, 1, 1}, attrs({1, 9, 9, 1}, {1, 9, 9, 1}, "VALID")},
      {kBFloat16, {1, 3, 3, 2}, {1, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
      {kFloat16, {1, 3, 3, 2}, {1, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
      {kFloat32, {0, 3, 3, 2}, {0, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
  };
}
std::vector<Case> cases_3d() {
  using enum DType;
  return {
      {kFloat32,
       {1, 2, 4, 2, 2},
       {1, 1, 2, 1, 2},
       attrs({1, 2, 2, 2, 1}, {1, 2, 2, 2, 1}, "VALID")},
      {kFloat64, {1, 3, 2, 3, 1}, {1, 2, 2, 2, 1}, attrs({1, 3, 2, 2, 1}, {1, 2, 1, 2, 1}, "SAME")},
      {kFloat64,
       {1, 2, 2, 3, 2},
       {1, 2, 2, 2, 2},
       attrs({1, 1, 1, 2, 1}, {1, 1, 1, 1, 1}, "VALID", "NCDHW")},
      {kBFloat16,
       {1, 2, 2, 2, 2},
       {1, 2, 1, 2, 2},
       attrs({1, 1, 2, 1, 1}, {1, 1, 1, 1, 1}, "VALID")},
      {kFloat32,
       {0, 2, 2, 2, 1},
       {0, 1, 1, 1, 1},
       attrs({1, 2, 2, 2, 1}, {1, 1, 1, 1, 1}, "VALID")},
  };
}
template <int N>
std::vector<Case> cases() {
  return N == 2 ? cases_2d() : cases_3d();
}
template <int N>
Case large() {
  if (N == 3) {
    return {DType::kFloat32,
            {2, 16, 28, 28, 64},
            {2, 8, 14, 14, 64},
            attrs({1, 2, 2, 2, 1}, {1, 2, 2, 2, 1}, "VALID")};
  }
  return {DType::kFloat32,
          {8, 56, 56, 64},
          {8, 28, 28, 64},
          attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")};
}

SampleInput sizes(const Shape& shape) {
  return ints(std::vector<double>(shape.begin(), shape.end()));
}

template <int N>
std::vector<Sample> max_samples() {
  std::vector<Sample> list;
  for (const Case& c : cases<N>()) list.push_back({{distinct(c.dtype, c.input)}, c.attrs});
  if (N == 2) {
    list.push_back({{i32({1, 4, 4, 2})}, attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")});
    list.push_back(
        {{of(DType::kUInt8, {1, 4, 4, 2}, 0, 9)}, attrs({1, 3, 3, 1}, {1, 2, 2, 1}, "SAME")});
    std::vector<SampleAttr> padded = attrs({1, 3, 2, 1}, {1, 2, 1, 1}, "EXPLICIT");
    padded.push_back({"explicit_paddings", {0, 0, 1, 2, 0, 1, 0, 0}});
    list.push_back({{distinct(DType::kFloat64, {1, 4, 3, 2})}, padded});
  }
  const Case c = large<N>();
  list.push_back({.inputs = {f32(c.input)}, .attrs = c.attrs, .for_speed = true});
  return list;
}
template <int N>
std::vector<Sample> avg_samples() {
  std::vector<Sample> list;
  for (const Case& c : cases<N>()) list.push_back({{of(c.dtype, c.input)}, c.attrs});
  const Case c = large<N>();
  list.push_back({.inputs = {f32(c.input)}, .attrs = c.attrs, .for_speed = true});
  return list;
}
// x and its pooled y, whose shape has `spatial` axes; only the last two have more than one
// position.
struct Pooled {
  SampleInput x, y;
  std::vector<SampleAttr> attrs;
};
Shape with_depth(int spatial, const Shape& shape, bool channels_first) {
  if (spatial == 2) return shape;
  if (channels_first) return {shape[0], shape[1], 1, shape[2], shape[3]};
  return {shape[0], 1, shape[1], shape[2], shape[3]};
}
Ints with_depth(int spatial, Ints list, bool channels_first) {
  if (spatial == 3) list.insert(list.begin() + (channels_first ? 2 : 1), 1);
  return list;
}
template <int N>
std::vector<Pooled> pooled_samples() {
  using enum DType;
  const auto make = [](DType dtype, const Shape& x, std::vector<double> xs, const Shape& y,
                       std::vector<double> ys, Ints ksize, Ints strides, bool first) {
    return Pooled{given(dtype, with_depth(N, x, first), std::move(xs)),
                  given(dtype, with_depth(N, y, first), std::move(ys)),
                  attrs(with_depth(N, std::move(ksize), first),
                        with_depth(N, std::move(strides), first), "VALID",
                        !first   ? nullptr
                        : N == 2 ? "NCHW"
                                 : "NCDHW")};
  };
  return {
      make(kFloat32, {1, 2, 2, 1}, {1, 4, 2, 4}, {1, 1, 1, 1}, {4}, {1, 2, 2, 1}, {1, 2, 2, 1},
           false),
      make(kFloat64, {1, 1, 3, 2}, {1, 6, 5, 2, 3, 4}, {1, 1, 2, 2}, {5, 6, 5, 4}, {1, 1, 2, 1},
           {1, 1, 1, 1}, false),
      make(kBFloat16, {1, 2, 1, 3}, {1, 6, 5, 2, 3, 4}, {1, 2, 1, 2}, {6, 6, 3, 4}, {1, 1, 1, 2},
           {1, 1, 1, 1}, true),
  };
}
template <int N>
std::vector<Sample> max_grad_samples() {
  std::vector<Sample> list;
  for (const Pooled& p : pooled_samples<N>()) {
    list.push_back({{p.x, p.y, of(p.y.dtype, p.y.shape)}, p.attrs});
  }
  const Case c = large<N>();
  list.push_back({.inputs = {f32(c.input), f32(c.output), f32(c.output)},
                  .attrs = c.attrs,
                  .for_speed = true});
  return list;
}
template <int N>
std::vector<Sample> max_grad_grad_samples() {
  std::vector<Sample> list;
  for (const Pooled& p : pooled_samples<N>()) {
    list.push_back({{p.x, p.y, of(p.x.dtype, p.x.shape)}, p.attrs});
  }
  return list;
}
template <int N>
std::vector<Sample> avg_grad_samples() {
  std::vector<Sample> list;
  for (const Case& c : cases<N>()) {
    list.push_back({{sizes(c.input), of(c.dtype, c.output)}, c.attrs});
  }
  return list;
}

}  // namespace

PEN_OP_DEF(max_pool) = {
    .name = "MaxPool",
    .doc = "The largest value of every window, channel by channel.",
    .inputs = {in("input", kRealTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC"), ints_attr("explicit_paddings", kNoInts)},
    .infer = infer<2>,
    .cpu = cpu_max<2>,
    .grad = grad_max<2>,
    .saves = {.inputs = 0b1, .outputs = 0b1},
    .samples = max_samples<2>,
};

PEN_OP_DEF(max_pool_grad) = {
    .name = "MaxPoolGrad",
    .doc = "The gradient of max_pool: each window's goes to its first largest element.",
    .inputs = {in("orig_input", kRealFloatTypes), in("orig_output", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC"), ints_attr("explicit_paddings", kNoInts)},
    .infer = infer_max_grad<2>,
    .cpu = cpu_max_grad<2>,
    .grad = grad_max_grad<2>,
    .saves = {.inputs = 0b11},
    .samples = max_grad_samples<2>,
};

PEN_OP_DEF(max_pool_grad_grad) = {
    .name = "MaxPoolGradGrad",
    .doc = "The gradient of max_pool_grad: each window takes that of its first largest element.",
    .inputs = {in("orig_input", kRealFloatTypes), in("orig_output", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC"), ints_attr("explicit_paddings", kNoInts)},
    .infer = infer_max_grad_grad<2>,
    .cpu = cpu_max_grad_grad<2>,
    .grad = grad_max_grad_grad<2>,
    .saves = {.inputs = 0b11},
    .samples = max_grad_grad_samples<2>,
};

PEN_OP_DEF(avg_pool) = {
    .name = "AvgPool",
    .doc = "The mean of every window, channel by channel; padding does not count.",
    .inputs = {in("value", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC")},
    .infer = infer<2>,
    .cpu = cpu_avg<2>,
    .grad = grad_avg<2>,
    .samples = avg_samples<2>,
};

PEN_OP_DEF(avg_pool_grad) = {
    .name = "AvgPoolGrad",
    .doc = "The gradient of avg_pool: each window's is spread evenly over its elements.",
    .inputs = {host("orig_input_shape", kIndexTypes), in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC")},
    .infer = infer_avg_grad<2>,
    .cpu = cpu_avg_grad<2>,
    .grad = grad_avg_grad<2>,
    .samples = avg_grad_samples<2>,
};

PEN_OP_DEF(max_pool3d) = {
    .name = "MaxPool3D",
    .doc = "The largest value of every window, channel by channel, over three axes.",
    .inputs = {in("input", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NDHWC")},
    .infer = infer<3>,
    .cpu = cpu_max<3>,
    .grad = grad_max<3>,
    .saves = {.inputs = 0b1, .outputs = 0b1},
    .samples = max_samples<3>,
};

PEN_OP_DEF(max_pool3d_grad) = {
    .name = "MaxPool3DGrad",
    .doc = "The gradient of max_pool3d: each window's goes to its first largest element.",
    .inputs = {in("orig_input", kRealFloatTypes), in("orig_output", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NDHWC")},
    .infer = infer_max_grad<3>,
    .cpu = cpu_max_grad<3>,
    .grad = grad_max_grad<3>,
    .saves = {.inputs = 0b11},
    .samples = max_grad_samples<3>,
};

PEN_OP_DEF(max_pool3d_grad_grad) = {
    .name = "MaxPool3DGradGrad",
    .doc = "The gradient of max_pool3d_grad: each window takes that of its first largest element.",
    .inputs = {in("orig_input", kRealFloatTypes), in("orig_output", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NDHWC")},
    .infer = infer_max_grad_grad<3>,
    .cpu = cpu_max_grad_grad<3>,
    .grad = grad_max_grad_grad<3>,
    .saves = {.inputs = 0b11},
    .samples = max_grad_grad_samples<3>,
};

PEN_OP_DEF(avg_pool3d) = {
    .name = "AvgPool3D",
    .doc = "The mean of every window, channel by channel, over three axes; padding does not count.",
    .inputs = {in("input", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NDHWC")},
    .infer = infer<3>,
    .cpu = cpu_avg<3>,
    .grad = grad_avg<3>,
    .samples = avg_samples<3>,
};

PEN_OP_DEF(avg_pool3d_grad) = {
    .name = "AvgPool3DGrad",
    .doc = "The gradient of avg_pool3d: each window's is spread evenly over its elements.",
    .inputs = {host("orig_input_shape", kIndexTypes), in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NDHWC")},
    .infer = infer_avg_grad<3>,
    .cpu = cpu_avg_grad<3>,
    .grad = grad_avg_grad<3>,
    .samples = avg_grad_samples<3>,
};

}  // namespace penstock
