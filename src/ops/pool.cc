// MaxPool and AvgPool with their gradients.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/pool.h"
#include "ops/window.h"

namespace penstock {
namespace {

// What the input's shape and the attributes say; gives the reason when they do not go together, and
// otherwise null.
const char* read(const Shape& input, Attrs attrs, DType dtype, kernels::PoolShape* s,
                 Shape* output) {
  ImageAxes axes;
  if (const char* problem = image_axes(attrs[3].as_string(), &axes)) return problem;
  if (input.rank() != 4) return "the input must have 4 dimensions";
  const auto size = attrs[0].as_ints();
  if (size.size() != 4) return "ksize must be a list of 4";
  if (size[0] != 1 || size[static_cast<size_t>(axes.c)] != 1)
    return "ksize over the batch and the channels must be 1";
  if (attrs[2].as_string() == "EXPLICIT") return "padding must be SAME or VALID";
  *s = {.dtype = dtype,
        .batch = input[0],
        .channels = input[axes.c],
        .channels_first = axes.channels_first()};
  const WindowAttrs window{attrs[1].as_ints(), attrs[2].as_string(), {}, {}};
  const char* problem = image_window(window, axes, input, size[static_cast<size_t>(axes.h)],
                                     size[static_cast<size_t>(axes.w)], &s->h, &s->w);
  if (problem == nullptr) *output = axes.shape(s->batch, s->h.out, s->w.out, s->channels);
  return problem;
}

Shape pooled(const InferContext& ctx, const Shape& input, DType dtype) {
  kernels::PoolShape s;
  Shape output;
  if (const char* problem = read(input, {&ctx.attr(0), 4}, dtype, &s, &output)) {
    ctx.fail(problem, ": input ", input, ", ksize ", ctx.attr(0), ", strides ", ctx.attr(1),
             ", padding ", ctx.attr(2));
  }
  return output;
}

kernels::PoolShape known(const KernelContext& ctx, const Shape& input) {
  kernels::PoolShape s;
  Shape output;
  static_cast<void>(read(input, ctx.attrs, ctx.outputs[0].dtype, &s, &output));
  return s;
}

void infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  ctx.add_output(ctx.dtype(0), x.is_known()
                                   ? pooled(ctx, x, ctx.dtype(0))
                                   : Shape{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim});
}

// `given` is a tensor of the pooled shape.
void check_pooled(const InferContext& ctx, const Shape& input, size_t given) {
  if (!input.is_known() || !ctx.shape(given).is_known()) return;
  const Shape output = pooled(ctx, input, ctx.dtype(given));
  if (ctx.shape(given) != output) {
    ctx.fail("input '", ctx.op().inputs[given].name, "' has shape ", ctx.shape(given),
             ", but pooling ", input, " gives ", output);
  }
}

void infer_max_grad(InferContext& ctx) {
  check_pooled(ctx, ctx.shape(0), 1);
  check_pooled(ctx, ctx.shape(0), 2);
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

void infer_avg_grad(InferContext& ctx) {
  const Shape input = ctx.shape_value(0);
  check_pooled(ctx, input, 1);
  ctx.add_output(ctx.dtype(1), input);
}

KernelResult cpu_max(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &y = ctx.outputs[0];
  if (y.size() > 0) kernels::max_pool(known(ctx, x.shape), x.data, y.data);
  return KernelResult::ok();
}
KernelResult cpu_avg(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &y = ctx.outputs[0];
  if (y.size() > 0) kernels::avg_pool(known(ctx, x.shape), x.data, y.data);
  return KernelResult::ok();
}
KernelResult cpu_max_grad(const KernelContext& ctx) {
  const View &x = ctx.inputs[0], &dx = ctx.outputs[0];
  if (dx.size() > 0) {
    kernels::max_pool_grad(known(ctx, x.shape), x.data, ctx.inputs[1].data, ctx.inputs[2].data,
                           dx.data);
  }
  return KernelResult::ok();
}
KernelResult cpu_avg_grad(const KernelContext& ctx) {
  const View& dx = ctx.outputs[0];
  if (dx.size() > 0) kernels::avg_pool_grad(known(ctx, dx.shape), ctx.inputs[1].data, dx.data);
  return KernelResult::ok();
}

Gradients grad_max(const GradContext& g) {
  return {max_pool_grad(g.input(0), g.output(), g.dy(), g.attr(0).as_ints(), g.attr(1).as_ints(),
                        g.attr(2).as_string(), g.attr(3).as_string())};
}
Gradients grad_avg(const GradContext& g) {
  return {avg_pool_grad(shape_tensor(g.input(0)), g.dy(), g.attr(0).as_ints(), g.attr(1).as_ints(),
                        g.attr(2).as_string(), g.attr(3).as_string())};
}
Gradients grad_avg_grad(const GradContext& g) {
  return {{},
          avg_pool(g.dy(), g.attr(0).as_ints(), g.attr(1).as_ints(), g.attr(2).as_string(),
                   g.attr(3).as_string())};
}

// One pooling; the samples of all four ops are made from these.
struct Case {
  DType dtype;
  Shape input, output;
  std::vector<SampleAttr> attrs;
};
std::vector<SampleAttr> attrs(std::vector<int64_t> ksize, std::vector<int64_t> strides,
                              const char* padding, const char* data_format = "NHWC") {
  return {{"ksize", std::move(ksize)},
          {"strides", std::move(strides)},
          {"padding", padding},
          {"data_format", data_format}};
}
std::vector<Case> cases() {
  using enum DType;
  return {
      {kFloat32, {1, 4, 4, 2}, {1, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")},
      {kFloat64, {2, 5, 4, 1}, {2, 3, 2, 1}, attrs({1, 3, 3, 1}, {1, 2, 2, 1}, "SAME")},
      {kFloat64, {1, 3, 4, 3}, {1, 3, 4, 3}, attrs({1, 2, 3, 1}, {1, 1, 1, 1}, "SAME")},
      {kFloat64, {1, 2, 4, 5}, {1, 2, 3, 4}, attrs({1, 1, 2, 2}, {1, 1, 1, 1}, "VALID", "NCHW")},
      {kFloat32, {1, 5, 5, 2}, {1, 2, 2, 2}, attrs({1, 1, 2, 1}, {1, 3, 3, 1}, "SAME")},
      {kBFloat16, {1, 3, 3, 2}, {1, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
      {kFloat16, {1, 3, 3, 2}, {1, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
      {kFloat32, {0, 3, 3, 2}, {0, 2, 2, 2}, attrs({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID")},
  };
}
Case large() {
  return {DType::kFloat32,
          {8, 56, 56, 64},
          {8, 28, 28, 64},
          attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")};
}

SampleInput distinct(DType dtype, const Shape& shape) {
  return {.dtype = dtype, .shape = shape, .distinct = true};
}

std::vector<Sample> max_samples() {
  std::vector<Sample> list;
  for (const Case& c : cases()) list.push_back({{distinct(c.dtype, c.input)}, c.attrs});
  list.push_back({{i32({1, 4, 4, 2})}, attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")});
  list.push_back(
      {{of(DType::kUInt8, {1, 4, 4, 2}, 0, 9)}, attrs({1, 3, 3, 1}, {1, 2, 2, 1}, "SAME")});
  const Case c = large();
  list.push_back({.inputs = {f32(c.input)}, .attrs = c.attrs, .for_speed = true});
  return list;
}
std::vector<Sample> avg_samples() {
  std::vector<Sample> list;
  for (const Case& c : cases()) list.push_back({{of(c.dtype, c.input)}, c.attrs});
  const Case c = large();
  list.push_back({.inputs = {f32(c.input)}, .attrs = c.attrs, .for_speed = true});
  return list;
}
std::vector<Sample> max_grad_samples() {
  return {
      {{given(DType::kFloat32, {1, 2, 2, 1}, {1, 4, 2, 4}),
        given(DType::kFloat32, {1, 1, 1, 1}, {4}), f32({1, 1, 1, 1})},
       attrs({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID")},
      {{given(DType::kFloat64, {1, 1, 3, 2}, {1, 6, 5, 2, 3, 4}),
        given(DType::kFloat64, {1, 1, 2, 2}, {5, 6, 5, 4}), of(DType::kFloat64, {1, 1, 2, 2})},
       attrs({1, 1, 2, 1}, {1, 1, 1, 1}, "VALID")},
      {{given(DType::kBFloat16, {1, 2, 1, 3}, {1, 6, 5, 2, 3, 4}),
        given(DType::kBFloat16, {1, 2, 1, 2}, {6, 6, 3, 4}), of(DType::kBFloat16, {1, 2, 1, 2})},
       attrs({1, 1, 1, 2}, {1, 1, 1, 1}, "VALID", "NCHW")},
  };
}
std::vector<Sample> avg_grad_samples() {
  std::vector<Sample> list;
  for (const Case& c : cases()) {
    list.push_back(
        {{ints(std::vector<double>(c.input.begin(), c.input.end())), of(c.dtype, c.output)},
         c.attrs});
  }
  return list;
}

}  // namespace

PEN_OP_DEF(max_pool) = {
    .name = "MaxPool",
    .doc = "The largest value of every window, channel by channel.",
    .inputs = {in("input", kRealTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC")},
    .infer = infer,
    .cpu = cpu_max,
    .grad = grad_max,
    .saves = {.inputs = 0b1, .outputs = 0b1},
    .samples = max_samples,
};

PEN_OP_DEF(max_pool_grad) = {
    .name = "MaxPoolGrad",
    .doc = "The gradient of max_pool: each window's goes to its first largest element.",
    .inputs = {in("orig_input", kRealFloatTypes), in("orig_output", kRealFloatTypes),
               in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC")},
    .infer = infer_max_grad,
    .cpu = cpu_max_grad,
    .grad = no_gradient,
    .samples = max_grad_samples,
};

PEN_OP_DEF(avg_pool) = {
    .name = "AvgPool",
    .doc = "The mean of every window, channel by channel; padding does not count.",
    .inputs = {in("value", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC")},
    .infer = infer,
    .cpu = cpu_avg,
    .grad = grad_avg,
    .samples = avg_samples,
};

PEN_OP_DEF(avg_pool_grad) = {
    .name = "AvgPoolGrad",
    .doc = "The gradient of avg_pool: each window's is spread evenly over its elements.",
    .inputs = {host("orig_input_shape", kIndexTypes), in("grad", kRealFloatTypes)},
    .attrs = {ints_attr("ksize"), ints_attr("strides"), string_attr("padding"),
              string_attr("data_format", "NHWC")},
    .infer = infer_avg_grad,
    .cpu = cpu_avg_grad,
    .grad = grad_avg_grad,
    .samples = avg_grad_samples,
};

}  // namespace penstock
