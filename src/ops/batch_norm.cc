// FusedBatchNormV3 and its gradient, FusedBatchNormGradV3: batch normalisation of images.
//
// In training the statistics are the batch's own: reserve_space_1 and 2 are its mean and variance,
// which the gradient uses. batch_mean and batch_variance are for inference (the variance divided by
// n - 1, and both mixed with the old ones by the averaging factor).
#include <algorithm>
#include <limits>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/batch_norm.h"
#include "kernels/move.h"

namespace penstock {
namespace {

constexpr DTypeSet kStatTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

DType stat_dtype(DType dtype) { return kHalfTypes.has(dtype) ? DType::kFloat32 : dtype; }

bool is_channels_first(const Attr& format) {
  return format.as_string() == "NCHW" || format.as_string() == "NCDHW";
}
int channel_axis(const Attr& format, int rank) { return is_channels_first(format) ? 1 : rank - 1; }

// Checks shared by both ops: the data format, x's rank and the statistics' dtype.
void check_image(const InferContext& ctx, size_t x, const Attr& format, size_t scale) {
  const std::string_view name = format.as_string();
  if (name != "NHWC" && name != "NCHW" && name != "NDHWC" && name != "NCDHW")
    ctx.fail("data_format must be NHWC, NCHW, NDHWC or NCDHW, not ", name);
  const Shape& shape = ctx.shape(x);
  if (shape.has_rank() && shape.rank() != static_cast<int>(name.size())) {
    ctx.fail("input must be ", name.size(), "-dimensional for ", name, ", but its shape is ",
             shape);
  }
  if (ctx.dtype(scale) != stat_dtype(ctx.dtype(x))) {
    ctx.fail_type("'", ctx.op().inputs[scale].name, "' of ", ctx.dtype(x), " images must be ",
                  stat_dtype(ctx.dtype(x)), ", not ", ctx.dtype(scale));
  }
}

// Input i has a number for each channel, or may be empty.
void check_channels(const InferContext& ctx, size_t i, int64_t channels, bool may_be_empty) {
  const Shape& shape = ctx.shape(i);
  const std::string_view name = ctx.op().inputs[i].name;
  if (!shape.has_rank()) return;
  if (shape.rank() != 1) ctx.fail(name, " must be 1-dimensional, but its shape is ", shape);
  if (shape[0] == channels || channels == kUnknownDim || shape[0] == kUnknownDim) return;
  if (may_be_empty && shape[0] == 0) return;
  ctx.fail(name, " must have the same number of elements as the channels of x, got ", shape[0],
           " and ", channels);
}

kernels::Channels channels_of(const Shape& x, const Attr& format) {
  const int axis = channel_axis(format, x.rank());
  return {kernels::product(x, 0, axis), x[axis], kernels::product(x, axis + 1, x.rank())};
}

void set_scratch(InferContext& ctx, DType dtype, const Shape& x, const Attr& format) {
  if (!x.is_known() || x.num_elements() == 0) return;
  ctx.set_scratch(kernels::batch_norm_scratch(dtype, channels_of(x, format)));
}

void infer(InferContext& ctx) {
  const Attr& format = ctx.attr(2);
  const Shape& x = ctx.shape(0);
  check_image(ctx, 0, format, 1);
  int64_t channels = x.has_rank() ? x[channel_axis(format, x.rank())] : kUnknownDim;
  Shape known = x;
  if (channels == kUnknownDim && ctx.shape(1).rank() == 1) {  // as many as there are scales
    channels = ctx.shape(1)[0];
    if (x.has_rank()) known.set(channel_axis(format, x.rank()), channels);
  }
  const bool is_unused = ctx.attr(3).as_bool() && ctx.attr(1).as_float() == 1;
  for (size_t i : {1, 2, 3, 4}) check_channels(ctx, i, channels, i > 2 && is_unused);
  ctx.add_output(ctx.dtype(0), known);
  for (int i = 0; i < 4; ++i) ctx.add_output(ctx.dtype(1), Shape{channels});
  ctx.add_output(ctx.dtype(1), Shape{0});
  set_scratch(ctx, ctx.dtype(0), x, format);
}

// to = old * (1 - factor) + new * factor, the latter times `correction`.
template <typename S>
void mix(const View& old, const void* now, double factor, double correction, const View& to) {
  for (int64_t c = 0; c < to.size(); ++c) {
    const double fresh = static_cast<double>(static_cast<const S*>(now)[c]) * correction;
    const double before = factor == 1 ? 0 : static_cast<double>(old.as<S>()[c]) * (1 - factor);
    to.as<S>()[c] = static_cast<S>(factor == 1 ? fresh : before + factor * fresh);
  }
}

template <typename S>
void set_running(const KernelContext& ctx, const kernels::Channels& s) {
  const double factor = ctx.attrs[1].as_float();
  const double n = static_cast<double>(s.count());
  mix<S>(ctx.inputs[3], ctx.outputs[3].data, factor, 1, ctx.outputs[1]);
  mix<S>(ctx.inputs[4], ctx.outputs[4].data, factor, n > 1 ? n / (n - 1) : 1, ctx.outputs[2]);
}

// An empty batch has no statistics.
template <typename S>
void set_empty(const KernelContext& ctx) {
  for (size_t i : {1, 2, 3, 4}) {
    const S value = i < 3 ? std::numeric_limits<S>::quiet_NaN() : S(0);
    std::fill_n(ctx.outputs[i].as<S>(), ctx.outputs[i].size(), value);
  }
}

template <typename S>
void copy_statistics(const KernelContext& ctx) {
  for (size_t i : {1, 2, 3, 4}) {
    const S* from = ctx.inputs[i % 2 == 1 ? 3 : 4].as<S>();
    for (int64_t c = 0; c < ctx.outputs[i].size(); ++c) ctx.outputs[i].as<S>()[c] = from[c];
  }
}

template <typename S>
void run(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  if (x.size() == 0) return set_empty<S>(ctx);
  const kernels::Channels s = channels_of(x.shape, ctx.attrs[2]);
  if (ctx.attrs[3].as_bool()) {
    kernels::channel_moments(s, x, ctx.outputs[3].data, ctx.outputs[4].data, ctx.scratch);
    set_running<S>(ctx, s);
  } else {
    copy_statistics<S>(ctx);
  }
  kernels::batch_norm(s, x, ctx.inputs[1].data, ctx.inputs[2].data, ctx.outputs[3].data,
                      ctx.outputs[4].data, ctx.attrs[0].as_float(), ctx.outputs[0], ctx.scratch);
}

KernelResult cpu(const KernelContext& ctx) {
  ctx.inputs[1].dtype == DType::kFloat64 ? run<double>(ctx) : run<float>(ctx);
  return KernelResult::ok();
}

Tensor as_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

// Per-channel numbers broadcast to images, and the reverse.
struct Broadcast {
  Shape image, column;
  double count;
  Broadcast(const Shape& x, const Attr& format) : image(x) {
    const int axis = channel_axis(format, x.rank());
    column = Shape{x[axis]};
    for (int i = axis + 1; i < x.rank(); ++i) column.append(1);
    count = static_cast<double>(x.num_elements()) / static_cast<double>(x[axis]);
  }
  Tensor of(const Tensor& channels) const { return reshape(channels, shape_tensor(column)); }
  Tensor sum(const Tensor& x) const { return sum_to(x, shape_tensor(column)); }
  Tensor mean(const Tensor& x) const { return sum(x) / count; }
  Tensor flat(const Tensor& columns) const {
    return reshape(columns, shape_tensor(Shape{column[0]}));
  }
};

// The gradient of x through the statistics that the op returns.
Tensor through_outputs(const GradContext& g, Tensor dx) {
  const Tensor& x = g.input(0);
  const DType stat = g.input(1).dtype();
  const Broadcast wide(x.shape(), g.attr(2));
  const double factor = g.attr(1).as_float();
  const double correction = wide.count > 1 ? wide.count / (wide.count - 1) : 1;
  const double shares[] = {factor, factor * correction, 1, 1};
  for (size_t i = 1; i <= 4; ++i) {
    if (!g.raw_dy(i).defined()) continue;
    Tensor part = wide.of(g.dy(i)) * (shares[i - 1] / wide.count);
    if (i % 2 == 0) part = part * (as_dtype(x, stat) - wide.of(g.output(3))) * 2;
    dx = dx + as_dtype(part, x.dtype());
  }
  return dx;
}

// Given mean and variance: used directly in inference, otherwise mixed into the running ones.
void given_statistics(const GradContext& g, const Tensor& dscale, const Tensor& doffset,
                      Gradients& gradients) {
  const bool is_training = g.attr(3).as_bool();
  for (size_t i : {3, 4}) {
    if (!g.needs(i)) continue;
    if (is_training) {
      const double share = 1 - g.attr(1).as_float();
      if (share != 0) gradients[i] = g.dy(i - 2) * share;
      continue;
    }
    const Tensor rstd = rsqrt(g.input(4) + g.attr(0).as_float());
    const Tensor factor = g.input(1) * rstd;
    Tensor through_y = i == 3 ? -factor * doffset : factor * rstd * dscale * -0.5;
    for (size_t out : {i - 2, i}) {
      if (g.raw_dy(out).defined()) through_y = through_y + g.dy(out);
    }
    gradients[i] = through_y;
  }
}

Gradients grad(const GradContext& g) {
  const bool is_training = g.attr(3).as_bool();
  const Tensor& mean = is_training ? g.output(3) : g.input(3);
  const Tensor& variance = is_training ? g.output(4) : g.input(4);
  auto [dx, dscale, doffset, unused_4, unused_5] =
      fused_batch_norm_grad(g.dy(), g.input(0), g.input(1), mean, variance, scalar_like(mean, 0),
                            g.attr(0).as_float(), g.attr(2).as_string(), is_training);
  Gradients gradients = {{}, dscale, doffset, {}, {}};
  if (g.input(0).num_elements() == 0) {
    gradients[0] = dx;
    return gradients;
  }
  gradients[0] = is_training ? through_outputs(g, dx) : dx;
  given_statistics(g, dscale, doffset, gradients);
  return gradients;
}

void infer_grad(InferContext& ctx) {
  const Attr& format = ctx.attr(1);
  const Shape& x = ctx.shape(1);
  check_image(ctx, 1, format, 2);
  const int64_t channels = x.has_rank() ? x[channel_axis(format, x.rank())] : kUnknownDim;
  for (size_t i : {2, 3, 4}) check_channels(ctx, i, channels, false);
  if (x.is_known() && ctx.shape(0).is_known() && ctx.shape(0) != x)
    ctx.fail("x and y_backprop must have same shape, but got ", x, " and ", ctx.shape(0));
  ctx.add_output(ctx.dtype(1), x);
  for (int i = 0; i < 2; ++i) ctx.add_output(ctx.dtype(2), Shape{channels});
  for (int i = 0; i < 2; ++i) ctx.add_output(ctx.dtype(2), Shape{});
  set_scratch(ctx, ctx.dtype(1), x, format);
}

KernelResult cpu_grad(const KernelContext& ctx) {
  const View& x = ctx.inputs[1];
  for (size_t i : {1, 2, 3, 4}) {
    const View& out = ctx.outputs[i];
    std::fill_n(out.as<char>(), out.shape.num_bytes(dtype_size(out.dtype)), char{0});
  }
  if (x.size() == 0) return KernelResult::ok();
  kernels::batch_norm_grad(channels_of(x.shape, ctx.attrs[1]),
                           {.dy = ctx.inputs[0],
                            .x = x,
                            .scale = ctx.inputs[2].data,
                            .mean = ctx.inputs[3].data,
                            .variance = ctx.inputs[4].data,
                            .epsilon = ctx.attrs[0].as_float(),
                            .through_statistics = ctx.attrs[2].as_bool(),
                            .dx = ctx.outputs[0],
                            .dscale = ctx.outputs[1].data,
                            .doffset = ctx.outputs[2].data},
                           ctx.scratch);
  return KernelResult::ok();
}

// The second order, with the statistics as inputs: their gradients reach x through the forward op.
// With h = (x - mean) * rstd and P(v) = v - mean(v) - h * mean(v * h), or P(v) = v where the
// statistics are given: dx = scale * rstd * P(dy).
Gradients grad_grad(const GradContext& g) {
  const Tensor& x_in = g.input(1);
  if (x_in.num_elements() == 0) return {{}, {}, {}, {}, {}, {}};
  const DType stat = g.input(2).dtype();
  const bool is_training = g.attr(2).as_bool();
  const Broadcast wide(x_in.shape(), g.attr(1));
  const Tensor dy = as_dtype(g.input(0), stat), scale = wide.of(g.input(2));
  const Tensor spread = wide.of(g.input(4)) + g.attr(0).as_float();
  const Tensor rstd = rsqrt(spread);
  const Tensor deviation = as_dtype(x_in, stat) - wide.of(g.input(3));
  const Tensor h = deviation * rstd;
  const Tensor a = as_dtype(g.dy(0), stat), b = wide.of(g.dy(1)), c = wide.of(g.dy(2));
  const auto project = [&](const Tensor& v) {
    return is_training ? v - wide.mean(v) - h * wide.mean(v * h) : v;
  };
  const Tensor factor = scale * rstd;
  Tensor dh = b * dy;
  if (is_training) dh = dh - factor * (a * wide.mean(dy * h) + dy * wide.mean(a * h));
  const Tensor inner = wide.sum(a * project(dy));
  Gradients gradients = {{}, {}, {}, {}, {}, {}};
  if (g.needs(0)) gradients[0] = as_dtype(factor * project(a) + b * h + c, x_in.dtype());
  if (g.needs(1)) gradients[1] = as_dtype(dh * rstd, x_in.dtype());
  if (g.needs(2)) gradients[2] = wide.flat(rstd * inner);
  if (g.needs(3)) gradients[3] = wide.flat(-wide.sum(dh * rstd));
  if (g.needs(4)) {
    const Tensor drstd = wide.sum(dh * deviation) + scale * inner;
    gradients[4] = wide.flat(drstd * rstd / spread * -0.5);
  }
  return gradients;
}

// One normalisation; the samples of both ops are made from these.
struct Case {
  DType dtype;
  Shape x;
  const char* format;
  bool is_training;
  double tolerance = 0;
};
std::vector<Case> cases() {
  using enum DType;
  return {
      {kFloat32, {2, 3, 2, 3}, "NHWC", true},
      {kFloat32, {2, 3, 2, 3}, "NHWC", false},
      {kFloat64, {2, 3, 2, 2}, "NCHW", true},
      {kFloat64, {2, 3, 2, 2}, "NCHW", false},
      {kFloat32, {9, 4, 4, 5}, "NHWC", true},
      {kFloat32, {2, 2, 9, 9}, "NCHW", true},
      {kFloat64, {2, 2, 1, 1, 3}, "NDHWC", true},
      {kFloat64, {1, 2, 2, 1, 3}, "NCDHW", true},
      {kFloat32, {2, 2, 2, 70}, "NHWC", true},
      {kFloat32, {0, 2, 2, 3}, "NHWC", true},
      {kFloat32, {0, 2, 2, 3}, "NHWC", false},
      {kFloat32, {2, 0, 2, 3}, "NCHW", true},
      {kFloat16, {2, 3, 2, 3}, "NHWC", true, 0.01},
      {kBFloat16, {2, 3, 4, 20}, "NCHW", true, 0.06},
      {kBFloat16, {2, 3, 2, 3}, "NHWC", false, 0.06},
  };
}

std::vector<Sample> samples() {
  std::vector<Sample> list;
  const auto inputs = [](const Case& c) {
    const DType stat = stat_dtype(c.dtype);
    const int64_t channels = c.x[c.format[1] == 'C' ? 1 : c.x.rank() - 1];
    return std::vector<SampleInput>{of(c.dtype, c.x), of(stat, {channels}, 0.5, 1.5),
                                    of(stat, {channels}), of(stat, {channels}, -0.5, 0.5),
                                    of(stat, {channels}, 0.5, 1.5)};
  };
  for (const Case& c : cases()) {
    list.push_back({inputs(c),
                    {{"data_format", c.format}, {"is_training", c.is_training}},
                    c.tolerance,
                    c.x.num_elements() > 0});
  }
  list.push_back({inputs({DType::kFloat32, {2, 2, 2, 3}, "NHWC", true}),
                  {{"exponential_avg_factor", 0.3}, {"epsilon", 0.1}}});
  list.push_back({{f32({2, 2, 2, 3}), f32({3}), f32({3}), f32({0}), f32({0})}});
  list.push_back(
      {.inputs = inputs({DType::kFloat32, {8, 56, 56, 64}, "NHWC", true}), .for_speed = true});
  return list;
}

std::vector<Sample> samples_grad() {
  std::vector<Sample> list;
  const auto inputs = [](const Case& c) {
    const DType stat = stat_dtype(c.dtype);
    const int64_t channels = c.x[c.format[1] == 'C' ? 1 : c.x.rank() - 1];
    return std::vector<SampleInput>{of(c.dtype, c.x),
                                    of(c.dtype, c.x),
                                    of(stat, {channels}, 0.5, 1.5),
                                    of(stat, {channels}, -0.5, 0.5),
                                    of(stat, {channels}, 0.5, 1.5),
                                    of(stat, {})};
  };
  for (const Case& c : cases()) {
    list.push_back({inputs(c),
                    {{"data_format", c.format}, {"is_training", c.is_training}, {"epsilon", 0.01}},
                    c.tolerance,
                    c.x.num_elements() > 0});
  }
  list.push_back(
      {.inputs = inputs({DType::kFloat32, {8, 56, 56, 64}, "NHWC", true}), .for_speed = true});
  return list;
}

}  // namespace

PEN_OP_DEF(fused_batch_norm) = {
    .name = "FusedBatchNormV3",
    .doc = "x with mean 0 and variance 1 in each channel, times scale, plus offset.",
    .inputs = {in("x", kRealFloatTypes), in("scale", kStatTypes, 'U'),
               in("offset", kStatTypes, 'U'), in("mean", kStatTypes, 'U'),
               in("variance", kStatTypes, 'U')},
    .attrs = {float_attr("epsilon", 1e-4), float_attr("exponential_avg_factor", 1.0),
              string_attr("data_format", "NHWC"), bool_attr("is_training", true)},
    .outputs = {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2",
                "reserve_space_3"},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b11011, .outputs = 0b11000},
    .samples = samples,
};

PEN_OP_DEF(fused_batch_norm_grad) = {
    .name = "FusedBatchNormGradV3",
    .doc = "The gradients of FusedBatchNormV3 for x, scale and offset, from that of y.",
    .inputs = {in("y_backprop", kRealFloatTypes), in("x", kRealFloatTypes),
               in("scale", kStatTypes, 'U'), in("reserve_space_1", kStatTypes, 'U'),
               in("reserve_space_2", kStatTypes, 'U'), in("reserve_space_3", kStatTypes, 'U')},
    .attrs = {float_attr("epsilon", 1e-4), string_attr("data_format", "NHWC"),
              bool_attr("is_training", true)},
    .outputs = {"x_backprop", "scale_backprop", "offset_backprop", "reserve_space_4",
                "reserve_space_5"},
    .forwards = {{0, 0}},
    .infer = infer_grad,
    .cpu = cpu_grad,
    .grad = grad_grad,
    .saves = {.inputs = 0b11111},
    .samples = samples_grad,
};

}  // namespace penstock
