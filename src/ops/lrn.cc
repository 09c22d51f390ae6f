// LRN: local response normalisation over the channels of images, and its gradient.
#include "kernels/lrn.h"

#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

void check(const InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    ctx.check_rank(i, 4);
    if (ctx.shape(i).is_known() && ctx.shape(0).is_known() && ctx.shape(i) != ctx.shape(0)) {
      ctx.fail("the gradient and the images must have the same shape, but got ", ctx.shape(0),
               " and ", ctx.shape(i));
    }
  }
  if (ctx.attr(0).as_int() < 0 || ctx.attr(0).as_int() > INT32_MAX)
    ctx.fail("depth_radius must be in [0, 2^31), but is ", ctx.attr(0));
}
void infer(InferContext& ctx) {
  check(ctx);
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

kernels::Lrn describe(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  return {.dtype = x.dtype,
          .rows = kernels::product(x.shape, 0, 3),
          .depth = x.shape[3],
          .radius = ctx.attrs[0].as_int(),
          .bias = ctx.attrs[1].as_float(),
          .alpha = ctx.attrs[2].as_float(),
          .beta = ctx.attrs[3].as_float()};
}
KernelResult cpu(const KernelContext& ctx) {
  if (ctx.outputs[0].size() > 0)
    kernels::lrn(describe(ctx), ctx.inputs[0].data, ctx.outputs[0].data);
  return KernelResult::ok();
}
KernelResult cpu_grad(const KernelContext& ctx) {
  if (ctx.outputs[0].size() > 0) {
    kernels::lrn_grad(describe(ctx), ctx.inputs[0].data, ctx.inputs[1].data, ctx.inputs[2].data,
                      ctx.outputs[0].data);
  }
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  return {lrn_grad(g.dy(), g.input(0), g.output(), g.attr(0).as_int(), g.attr(1).as_float(),
                   g.attr(2).as_float(), g.attr(3).as_float())};
}

std::vector<SampleAttr> attrs(int radius, double bias, double alpha, double beta) {
  return {{"depth_radius", radius}, {"bias", bias}, {"alpha", alpha}, {"beta", beta}};
}
std::vector<Sample> samples() {
  using enum DType;
  return {
      {{f32({1, 2, 2, 7})}, attrs(2, 1, 0.5, 0.75)},
      {{of(kFloat64, {1, 2, 1, 9})}, attrs(1, 2, 0.3, 0.5)},
      {{f32({1, 2, 2, 3})}},
      {{f32({1, 1, 2, 4})}, attrs(0, 1, 1, 1)},
      {{f32({0, 2, 2, 3})}},
      {{f32({2, 2, 2, 0})}},
      {{of(kFloat16, {1, 2, 2, 4})}, attrs(1, 1, 0.5, 0.75)},
      {{of(kBFloat16, {1, 2, 2, 4})}, attrs(1, 1, 0.5, 0.75)},
      {.inputs = {f32({8, 28, 28, 64})}, .attrs = attrs(5, 1, 1e-4, 0.75), .for_speed = true},
  };
}
std::vector<Sample> samples_grad() {
  std::vector<Sample> list = samples();
  for (Sample& sample : list) sample.inputs.resize(3, sample.inputs[0]);
  return list;
}

}  // namespace

PEN_OP_DEF(local_response_normalization) = {
    .name = "LRN",
    .doc = "Images with every channel divided by a power of the squares of those around it.",
    .inputs = {in("input", kRealFloatTypes)},
    .attrs = {int_attr("depth_radius", 5), float_attr("bias", 1.0), float_attr("alpha", 1.0),
              float_attr("beta", 0.5)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(lrn_grad) = {
    .name = "LRNGrad",
    .doc = "The gradient of LRN for its input, from that of its result.",
    .inputs = {in("input_grads", kRealFloatTypes), in("input_image", kRealFloatTypes),
               in("output_image", kRealFloatTypes)},
    .attrs = {int_attr("depth_radius", 5), float_attr("bias", 1.0), float_attr("alpha", 1.0),
              float_attr("beta", 0.5)},
    .infer = infer,
    .cpu = cpu_grad,
    .grad = missing_gradient,
    .samples = samples_grad,
};

}  // namespace penstock
