// BiasAdd: a vector added along the channels, and BiasAddGrad: the sum over all others.
#include <penstock/ops/compose.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/binary.h"
#include "ops/op_defs.h"

namespace penstock {
namespace {

int channel_axis(const Attr& data_format, int rank) {
  return data_format.as_string() == "NCHW" ? 1 : rank - 1;
}

// The bias's shape as it broadcasts to a value's of `rank` dimensions.
Shape aligned(int64_t channels, int axis, int rank) {
  Shape shape{channels};
  for (int i = axis + 1; i < rank; ++i) shape.append(1);
  return shape;
}

void check_format(const InferContext& ctx) {
  const std::string_view format = ctx.attr(0).as_string();
  if (format != "NHWC" && format != "NCHW")
    ctx.fail("data_format must be NHWC or NCHW, not ", format);
}

void infer(InferContext& ctx) {
  check_format(ctx);
  const Shape &value = ctx.shape(0), &bias = ctx.shape(1);
  if (value.has_rank() && value.rank() < 2)
    ctx.fail("the value must have at least two dimensions, but its shape is ", value);
  ctx.check_rank(1, 1);
  if (value.is_known() && bias.is_known() &&
      value[channel_axis(ctx.attr(0), value.rank())] != bias[0]) {
    ctx.fail("Must provide as many biases as there are channels: ", value, " vs. ", bias, ", ",
             ctx.attr(0));
  }
  Shape known = value;
  if (value.has_rank() && bias.has_rank()) {
    const int channel = channel_axis(ctx.attr(0), value.rank());
    if (value[channel] == kUnknownDim) known.set(channel, bias[0]);
  }
  ctx.add_output(ctx.dtype(0), known);
}

KernelResult cpu(const KernelContext& ctx) {
  const View &value = ctx.inputs[0], &out = ctx.outputs[0];
  View bias = ctx.inputs[1];
  const int rank = value.shape.rank();
  bias.shape = aligned(bias.shape[0], channel_axis(ctx.attrs[0], rank), rank);
  kernels::run_binary(kernels::binary_loop(kernels::BinaryOp::kAdd, out.dtype), value, bias, out);
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const Tensor dy = g.dy();
  const Tensor& bias = g.input(1);
  Gradients grads{dy, {}};
  if (g.needs(1)) {
    const int rank = g.input(0).rank();
    const Shape shape = aligned(bias.dim(0), channel_axis(g.attr(0), rank), rank);
    grads[1] = reshape(sum_to(dy, shape_tensor(shape)), shape_tensor(bias));
  }
  return grads;
}

Tensors compose_grad(const ComposeContext& ctx) {
  check_format(ctx);
  const Tensor& dy = ctx.tensor(0);
  if (dy.rank() < 2) ctx.fail("Input tensor must be at least 2D: ", dy.shape());
  const int axis = channel_axis(ctx.attr(0), dy.rank());
  IntVector others;
  for (int i = 0; i < dy.rank(); ++i) {
    if (i != axis) others.push_back(i);
  }
  return {reduce_sum(dy, std::span<const int64_t>(others))};
}

std::vector<Sample> grad_samples() {
  using enum DType;
  return {
      {{f32({2, 3})}},
      {{of(kFloat64, {2, 2, 2, 3})}},
      {{of(kFloat64, {2, 3, 2, 2, 2})}, {{"data_format", "NCHW"}}},
      {{of(kBFloat16, {2, 3})}},
      {{of(kInt32, {2, 3}, -5, 5)}},
      {{f32({0, 3})}},
      {.inputs = {f32({1024, 256})}, .for_speed = true},
  };
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({2, 3}), f32({3})}},
      {{of(kFloat64, {2, 2, 2, 3}), of(kFloat64, {3})}},
      {{of(kFloat64, {2, 3, 2, 2}), of(kFloat64, {3})}, {{"data_format", "NCHW"}}},
      {{f32({2, 3}), f32({3})}, {{"data_format", "NCHW"}}},
      {{of(kBFloat16, {2, 3}), of(kBFloat16, {3})}},
      {{of(kInt32, {2, 3}, -5, 5), of(kInt32, {3}, -5, 5)}},
      {{of(kComplex64, {2, 3}), of(kComplex64, {3})}},
      {{f32({0, 3}), f32({3})}},
      {.inputs = {f32({1024, 256}), f32({256})}, .for_speed = true},
  };
}

// A bias along the last axis is a vector that an addition repeats.
const OpDef* as_addition(Attrs attrs) { return attrs[0].as_string() == "NCHW" ? nullptr : &add_op; }

}  // namespace

PEN_OP_DEF(bias_add) = {
    .name = "BiasAdd",
    .doc = "value + bias, which has one number for each channel.",
    .inputs = {in("value", kNumberTypes), in("bias", kNumberTypes)},
    .attrs = {string_attr("data_format", "NHWC")},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
    .same_as = as_addition,
};

PEN_OP_DEF(bias_add_grad) = {
    .name = "BiasAddGrad",
    .doc = "The gradient of BiasAdd for the bias: the sum over all axes but the channels.",
    .inputs = {in("out_backprop", kNumberTypes)},
    .attrs = {string_attr("data_format", "NHWC")},
    .infer = composed,
    .compose = compose_grad,
    .grad = composed_gradient,
    .samples = grad_samples,
};

}  // namespace penstock
