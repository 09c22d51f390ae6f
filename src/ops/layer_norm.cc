// LayerNorm over the last axis, and its gradient as an op of its own, for speed.
//
// With h = (x - mean) * rstd and P(v) = rstd * (v - mean(v) - h * mean(v * h)), row by row:
// dx = P(dy * gamma).
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/rows.h"

namespace penstock {
namespace {

// The dtype of mean and rstd: half types would lose too much precision.
DType stat_dtype(DType dtype) { return kHalfTypes.has(dtype) ? DType::kFloat32 : dtype; }

void check_vector(InferContext& ctx, size_t i, const Shape& x) {
  const Shape& shape = ctx.shape(i);
  if (!shape.is_known() || !x.is_known()) return;
  if (shape.rank() != 1 || shape[0] != x[x.rank() - 1]) {
    ctx.fail("'", ctx.op().inputs[i].name, "' must have one element for each of the last axis of ",
             x, ", but its shape is ", shape);
  }
}

// Pre of both ops: x has a last axis.
void check_rows(InferContext& ctx, const Shape& x) {
  if (x.rank() == 0) ctx.fail("x must have at least 1 dimension, but got shape ", x);
}

Shape stat_shape(const Shape& x) {
  Shape shape = x;
  if (x.has_rank()) shape.set(x.rank() - 1, 1);
  return shape;
}

void infer(InferContext& ctx) {
  const Shape& x = ctx.shape(0);
  check_rows(ctx, x);
  check_vector(ctx, 1, x);
  check_vector(ctx, 2, x);
  const DType dtype = ctx.dtype(0);
  ctx.add_output(dtype, x);
  ctx.add_output(stat_dtype(dtype), stat_shape(x));
  ctx.add_output(stat_dtype(dtype), stat_shape(x));
  if (!x.is_known()) return;
  ctx.set_scratch(kernels::row_scratch(dtype, kernels::rows_of(x), kernels::kLayerNormArrays),
                  sizeof(float));
}

KernelResult cpu(const KernelContext& ctx) {
  kernels::layer_norm(ctx.inputs[0], ctx.inputs[1], ctx.inputs[2], ctx.attrs[0].as_float(),
                      ctx.outputs[0], ctx.outputs[1], ctx.outputs[2], ctx.scratch);
  return KernelResult::ok();
}

Tensor row_mean(const Tensor& x) { return reduce_mean(x, {-1}, true); }
Tensor row_sum(const Tensor& x) { return reduce_sum(x, {-1}, true); }
Tensor column_sum(const Tensor& x) { return sum_to(x, shape_tensor(Shape{x.dim(-1)})); }

Tensor as_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

// The rows of x from the outputs that the forward op kept.
struct Normalised {
  Tensor rstd, deviation, h;
  Normalised(const Tensor& x, const Tensor& mean, const Tensor& rstd_stat)
      : rstd(as_dtype(rstd_stat, x.dtype())),
        deviation(x - as_dtype(mean, x.dtype())),
        h(deviation * rstd) {}
  Tensor back(const Tensor& v) const { return rstd * (v - row_mean(v) - h * row_mean(v * h)); }
};

Gradients grad(const GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor& mean = g.output(1);
  const Tensor& rstd = g.output(2);
  auto [dx, dgamma, dbeta] = layer_norm_grad(g.dy(), x, g.input(1), mean, rstd);
  const double count = static_cast<double>(x.dim(-1));
  if (g.raw_dy(1).defined()) dx = dx + as_dtype(g.dy(1), x.dtype()) / count;
  if (g.raw_dy(2).defined()) {
    const Normalised rows(x, mean, rstd);
    dx = dx - as_dtype(g.dy(2), x.dtype()) * rows.rstd * rows.rstd * rows.h / count;
  }
  return {dx, dgamma, dbeta};
}

std::vector<Sample> samples() {
  const auto row = [](DType dtype, int64_t n) { return of(dtype, {n}, 0.5, 1.5); };
  return {
      {{f32({3, 5}), row(DType::kFloat32, 5), f32({5})}},
      {{f32({2, 2, 4}), row(DType::kFloat32, 4), f32({4})}, {{"epsilon", 0.1}}},
      {{f32({2, 35}), row(DType::kFloat32, 35), f32({35})}},
      {{f32({4}), row(DType::kFloat32, 4), f32({4})}},
      {{f32({0, 4}), row(DType::kFloat32, 4), f32({4})}},
      {{f32({2, 0}), f32({0}), f32({0})}},
      {{of(DType::kFloat64, {3, 5}), row(DType::kFloat64, 5), of(DType::kFloat64, {5})}},
      {{of(DType::kFloat16, {3, 5}), row(DType::kFloat16, 5), of(DType::kFloat16, {5})}},
      {{of(DType::kBFloat16, {3, 5}), row(DType::kBFloat16, 5), of(DType::kBFloat16, {5})},
       {},
       0.06},
      {.inputs = {f32({1024, 768}), f32({768}), f32({768})}, .for_speed = true},
  };
}

void infer_grad(InferContext& ctx) {
  const Shape& x = ctx.shape(1);
  check_rows(ctx, x);
  check_vector(ctx, 2, x);
  if (x.is_known() && ctx.shape(0).is_known() && ctx.shape(0) != x) {
    ctx.fail("dy and x must have the same shape, but got ", ctx.shape(0), " and ", x);
  }
  for (size_t i : {3, 4}) {
    if (x.is_known() && ctx.shape(i).is_known() && ctx.shape(i) != stat_shape(x)) {
      ctx.fail("'", ctx.op().inputs[i].name, "' must have shape ", stat_shape(x), ", not ",
               ctx.shape(i));
    }
  }
  const DType dtype = ctx.dtype(1);
  if (ctx.dtype(3) != stat_dtype(dtype)) {
    ctx.fail_type("mean and rstd of ", dtype, " are ", stat_dtype(dtype), ", not ", ctx.dtype(3));
  }
  ctx.add_output(dtype, x);
  ctx.add_output(dtype, ctx.shape(2));
  ctx.add_output(dtype, ctx.shape(2));
  if (x.is_known()) ctx.set_scratch(kernels::layer_norm_grad_scratch(dtype, kernels::rows_of(x)));
}

KernelResult cpu_grad(const KernelContext& ctx) {
  kernels::layer_norm_grad(ctx.inputs[0], ctx.inputs[1], ctx.inputs[2], ctx.inputs[3],
                           ctx.inputs[4], ctx.outputs[0], ctx.outputs[1], ctx.outputs[2],
                           ctx.scratch);
  return KernelResult::ok();
}

// The second order: a, b and c are the gradients at dx, dgamma and dbeta. The part through mean and
// rstd reaches x through LayerNorm's own gradient.
Gradients grad_grad(const GradContext& g) {
  const Tensor& dy = g.input(0);
  const Tensor& x = g.input(1);
  const Tensor& gamma = g.input(2);
  const Normalised rows(x, g.input(3), g.input(4));
  const Tensor a = g.dy(0);
  const Tensor b = g.dy(1);
  const Tensor back_a = rows.back(a);
  const Tensor v = dy * gamma;
  const Tensor mean_vh = row_mean(v * rows.h);
  const Tensor dh = b * dy - rows.rstd * (v * row_mean(a * rows.h) + a * mean_vh);
  Gradients gradients = {{}, {}, {}, {}, {}};
  if (g.needs(0)) gradients[0] = back_a * gamma + b * rows.h + g.dy(2);
  if (g.needs(1)) gradients[1] = dh * rows.rstd;
  if (g.needs(2)) gradients[2] = column_sum(back_a * dy);
  const DType stat = g.input(3).dtype();
  if (g.needs(3)) gradients[3] = as_dtype(-row_sum(dh * rows.rstd), stat);
  if (g.needs(4)) {
    const Tensor without_rstd = a * (v - row_mean(v) - rows.h * mean_vh);
    gradients[4] = as_dtype(row_sum(dh * rows.deviation + without_rstd), stat);
  }
  return gradients;
}

std::vector<Sample> samples_grad() {
  const auto call = [](DType dtype, Shape x) {
    const int64_t n = x[x.rank() - 1];
    const DType stat = stat_dtype(dtype);
    return std::vector<SampleInput>{of(dtype, x), of(dtype, x), of(dtype, {n}),
                                    of(stat, stat_shape(x)), of(stat, stat_shape(x), 0.5, 1.5)};
  };
  return {
      {.inputs = call(DType::kFloat32, {3, 5})},
      {.inputs = call(DType::kFloat32, {2, 2, 35})},
      {.inputs = call(DType::kFloat32, {0, 3})},
      {.inputs = call(DType::kFloat32, {2, 0})},
      {.inputs = call(DType::kFloat64, {3, 4})},
      {.inputs = call(DType::kFloat16, {3, 4}), .tolerance = 0.02},
      {.inputs = call(DType::kBFloat16, {4}), .tolerance = 0.06},
      {.inputs = call(DType::kFloat32, {1024, 768}), .for_speed = true},
  };
}

constexpr DTypeSet kStatTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

}  // namespace

PEN_OP_DEF(layer_norm) = {
    .name = "LayerNorm",
    .doc = "x with mean 0 and variance 1 along the last axis, times gamma, plus beta.",
    .inputs = {in("x", kRealFloatTypes), in("gamma", kRealFloatTypes), in("beta", kRealFloatTypes)},
    .attrs = {float_attr("epsilon", 1e-3)},
    .outputs = {"y", "mean", "rstd"},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 3, .outputs = 6},
    .samples = samples,
};

PEN_OP_DEF(layer_norm_grad) = {
    .name = "LayerNormGrad",
    .doc = "The gradients of LayerNorm for x, gamma and beta, from that of its result.",
    .inputs = {in("dy", kRealFloatTypes), in("x", kRealFloatTypes), in("gamma", kRealFloatTypes),
               in("mean", kStatTypes, 'S'), in("rstd", kStatTypes, 'S')},
    .outputs = {"dx", "dgamma", "dbeta"},
    .forwards = {{0, 0}},
    .infer = infer_grad,
    .cpu = cpu_grad,
    .grad = grad_grad,
    .saves = {.inputs = kAll},
    .samples = samples_grad,
};

}  // namespace penstock
