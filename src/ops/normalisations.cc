// Normalisations made of other ops: BatchNormalization with given moments, and GroupNorm with
// InstanceNorm, whose moments are those of groups of channels of each image.
#include <algorithm>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

Tensors compose_batch(const ComposeContext& ctx) {
  const Tensor &x = ctx.tensor(0), &mean = ctx.tensor(1), &offset = ctx.tensor(3);
  const Tensor factor = rsqrt(ctx.tensor(2) + ctx.attr(0).as_float()) * ctx.tensor(4);
  return {x * factor + (offset - mean * factor)};
}

Tensor as_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

// The axis of the channels. Fails unless `groups` divides their number.
int channel_axis(const ComposeContext& ctx, const Attr& data_format, int64_t groups) {
  const Shape& x = ctx.shape(0);
  const std::string_view format = data_format.as_string();
  if (format != "NHWC" && format != "NCHW")
    ctx.fail("data_format must be NHWC or NCHW, not ", format);
  if (x.rank() < 2) ctx.fail("x must have at least 2 dimensions, but its shape is ", x);
  const int axis = format == "NCHW" ? 1 : x.rank() - 1;
  if (groups < 1 || x[axis] % groups != 0)
    ctx.fail(groups, " groups do not divide the ", x[axis], " channels of shape ", x);
  for (size_t i : {1, 2}) {
    if (ctx.shape(i).rank() != 1 || ctx.shape(i)[0] != x[axis]) {
      ctx.fail("'", ctx.op().inputs[i].name, "' must have one element for each of ", x[axis],
               " channels, but its shape is ", ctx.shape(i));
    }
  }
  return axis;
}

Tensors normalise(const ComposeContext& ctx, int64_t groups, double epsilon, int axis) {
  const Shape& shape = ctx.shape(0);
  const DType dtype = kHalfTypes.has(ctx.dtype(0)) ? DType::kFloat32 : ctx.dtype(0);
  if (shape.num_elements() == 0) return {identity(ctx.tensor(0))};
  const int64_t images = shape[0];
  const int64_t inner = shape[axis] / groups;
  const int64_t positions = shape.num_elements() / images / shape[axis];
  const Shape split = axis == 1 ? Shape{images, 1, groups, inner * positions}
                                : Shape{images, positions, groups, inner};
  Shape column{shape[axis]};
  for (int i = axis + 1; i < shape.rank(); ++i) column.append(1);
  const Tensor x = reshape(as_dtype(ctx.tensor(0), dtype), shape_tensor(split));
  const Tensor mean = reduce_mean(x, {1, 3}, true);
  const Tensor deviation = x - mean;
  const Tensor rstd = rsqrt(reduce_mean(square(deviation), {1, 3}, true) + epsilon);
  const Tensor y = reshape(deviation * rstd, shape_tensor(shape));
  const auto wide = [&](size_t i) {
    return reshape(as_dtype(ctx.tensor(i), dtype), shape_tensor(column));
  };
  return {as_dtype(y * wide(1) + wide(2), ctx.dtype(0))};
}

Tensors compose_group(const ComposeContext& ctx) {
  const int64_t groups = ctx.attr(0).as_int();
  return normalise(ctx, groups, ctx.attr(1).as_float(), channel_axis(ctx, ctx.attr(2), groups));
}

Tensors compose_instance(const ComposeContext& ctx) {
  const int axis = channel_axis(ctx, ctx.attr(1), 1);
  const int64_t channels = ctx.shape(0)[axis];
  return normalise(ctx, std::max<int64_t>(channels, 1), ctx.attr(0).as_float(), axis);
}

std::vector<Sample> samples_batch() {
  using enum DType;
  const auto call = [](DType dtype, Shape x, Shape moments) {
    return std::vector<SampleInput>{of(dtype, x), of(dtype, moments), of(dtype, moments, 0.5, 2),
                                    of(dtype, moments), of(dtype, moments, 0.5, 2)};
  };
  return {
      {call(kFloat32, {2, 3, 4}, {4}), {{"variance_epsilon", 1e-3}}},
      {call(kFloat64, {2, 3, 4}, {1, 3, 1}), {{"variance_epsilon", 0.1}}},
      {call(kFloat32, {0, 4}, {4}), {{"variance_epsilon", 1e-3}}},
      {call(kFloat16, {2, 4}, {4}), {{"variance_epsilon", 1e-3}}, 0.02},
      {.inputs = call(kFloat32, {8, 56, 56, 64}, {64}),
       .attrs = {{"variance_epsilon", 1e-3}},
       .for_speed = true},
  };
}

std::vector<SampleInput> image(DType dtype, Shape x, int64_t channels) {
  return {of(dtype, x), of(dtype, {channels}, 0.5, 1.5), of(dtype, {channels})};
}
std::vector<Sample> samples_group() {
  using enum DType;
  return {
      {image(kFloat32, {2, 3, 2, 4}, 4), {{"groups", 2}}},
      {image(kFloat64, {2, 4, 3, 2}, 4), {{"groups", 2}, {"data_format", "NCHW"}}},
      {image(kFloat32, {3, 6}, 6), {{"groups", 3}, {"epsilon", 0.1}}},
      {image(kFloat32, {0, 2, 4}, 4), {{"groups", 4}}},
      {image(kFloat32, {2, 0, 4}, 4), {{"groups", 1}}},
      {image(kFloat16, {2, 3, 4}, 4), {{"groups", 2}}, 0.02},
      {.inputs = image(kFloat32, {8, 56, 56, 64}, 64), .for_speed = true},
  };
}
std::vector<Sample> samples_instance() {
  using enum DType;
  return {
      {image(kFloat32, {2, 5, 3}, 3)},
      {image(kFloat64, {2, 3, 2, 2}, 3), {{"data_format", "NCHW"}, {"epsilon", 0.1}}},
      {image(kFloat32, {2, 0, 3}, 3)},
      {image(kBFloat16, {2, 5, 3}, 3), {}, 0.06},
  };
}

}  // namespace

PEN_OP_DEF(batch_normalization) = {
    .name = "BatchNormalization",
    .doc = "x less mean, over the root of variance, times scale, plus offset; all broadcast.",
    .inputs = {in("x", kRealFloatTypes), in("mean", kRealFloatTypes),
               in("variance", kRealFloatTypes), in("offset", kRealFloatTypes),
               in("scale", kRealFloatTypes)},
    .attrs = {float_attr("variance_epsilon")},
    .infer = composed,
    .compose = compose_batch,
    .grad = composed_gradient,
    .samples = samples_batch,
    .graph_name = {"batchnorm", "add_1"},
};

PEN_OP_DEF(group_norm) = {
    .name = "GroupNorm",
    .doc =
        "x with mean 0 and variance 1 in each group of channels of each image, times gamma, "
        "plus beta.",
    .inputs = {in("x", kRealFloatTypes), in("gamma", kRealFloatTypes), in("beta", kRealFloatTypes)},
    .attrs = {int_attr("groups", 32), float_attr("epsilon", 1e-3),
              string_attr("data_format", "NHWC")},
    .infer = composed,
    .compose = compose_group,
    .grad = composed_gradient,
    .samples = samples_group,
};

PEN_OP_DEF(instance_norm) = {
    .name = "InstanceNorm",
    .doc = "x with mean 0 and variance 1 in each channel of each image, times gamma, plus beta.",
    .inputs = {in("x", kRealFloatTypes), in("gamma", kRealFloatTypes), in("beta", kRealFloatTypes)},
    .attrs = {float_attr("epsilon", 1e-3), string_attr("data_format", "NHWC")},
    .infer = composed,
    .compose = compose_instance,
    .grad = composed_gradient,
    .samples = samples_instance,
};

}  // namespace penstock
