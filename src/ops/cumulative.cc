// Cumsum, Cumprod and CumulativeLogsumexp: running sums and products along an axis; LinearScan,
// from which gradients of products are composed.
#include <limits>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/scan.h"

namespace penstock {
namespace {

using kernels::Scan;

void infer(InferContext& ctx) {
  if (ctx.shape(0).has_rank()) ctx.axis(ctx.attr(0).as_int(), ctx.shape(0).rank());
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

template <Scan kScan>
KernelResult cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  const int64_t axis = ctx.attrs[0].as_int();
  kernels::scan(kScan, x, static_cast<int>(axis < 0 ? axis + x.shape.rank() : axis),
                ctx.attrs[1].as_bool(), ctx.attrs[2].as_bool(), ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad_sum(const GradContext& g) {
  return {cumsum(g.dy(), g.attr(0).as_int(), g.attr(1).as_bool(), !g.attr(2).as_bool())};
}

Tensor conj_if_complex(const Tensor& x) { return kComplexTypes.has(x.dtype()) ? conj(x) : x; }

// Nothing is divided by x, so zeros are harmless: the product of the elements before the i-th,
// times the contribution of the later ones' gradients.
Gradients grad_prod(const GradContext& g) {
  const int64_t axis = g.attr(0).as_int();
  const bool reverse = g.attr(2).as_bool();
  const Tensor x = conj_if_complex(g.input(0));
  const Tensor before = cumprod(x, axis, true, reverse);
  const Tensor dy = g.dy();
  if (g.attr(1).as_bool()) return {before * linear_scan(x, dy, axis, true, !reverse)};
  return {before * (dy + linear_scan(x, x * dy, axis, true, !reverse))};
}

// The gradient is a sum of exp(log |dy| - y + x) over later elements, separately for each sign of
// dy.
Tensor log_or_nothing(const Tensor& dy) {
  const Tensor is_positive = greater(dy, scalar_like(dy, 0));
  const Tensor safe = select(is_positive, dy, scalar_like(dy, 1));
  return select(is_positive, log(safe), scalar_like(dy, -std::numeric_limits<double>::infinity()));
}
Gradients grad_logsumexp(const GradContext& g) {
  const int64_t axis = g.attr(0).as_int();
  const bool exclusive = g.attr(1).as_bool();
  const bool reverse = g.attr(2).as_bool();
  // Before the first summand, the output is -inf and has no gradient.
  const Tensor& y = g.output();
  const Tensor finite = select(is_finite(y), y, zeros_like(y));
  const Tensor dy = select(is_finite(y), g.dy(), zeros_like(y));
  const auto back = [&](const Tensor& log_dy) {
    return exp(cumulative_logsumexp(log_dy - finite, axis, exclusive, !reverse) + g.input(0));
  };
  return {back(log_or_nothing(dy)) - back(log_or_nothing(negative(dy)))};
}

std::vector<Sample> samples_logsumexp() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {
      {{f32({5})}},
      {{f32({2, 3, 4})}, {{"axis", 1}}},
      {{f32({2, 3})}, {{"axis", 0}, {"reverse", true}}},
      {{f32({2, 3}, 900, 1000)}, {{"axis", 1}}},
      {.inputs = {f32({2, 3})}, .attrs = {{"axis", -1}, {"exclusive", true}}, .check_grad = false},
      {.inputs = {given(DType::kFloat32, {4}, {-infinity, -infinity, 1, infinity})},
       .check_grad = false},
      {{f32({2, 0})}, {{"axis", 1}}},
      {{of(DType::kFloat64, {3, 4})}, {{"axis", 1}}},
      {{of(DType::kFloat16, {3, 4})}, {{"axis", 1}}},
      {{of(DType::kBFloat16, {3, 4})}, {{"axis", 0}}},
      {.inputs = {f32({256, 1024})}, .attrs = {{"axis", 1}}, .for_speed = true},
  };
}

void infer_linear(InferContext& ctx) {
  if (ctx.shape(0).is_known() && ctx.shape(1).is_known() && ctx.shape(0) != ctx.shape(1)) {
    ctx.fail("a and b must have the same shape, but got ", ctx.shape(0), " and ", ctx.shape(1));
  }
  infer(ctx);
}

KernelResult cpu_linear(const KernelContext& ctx) {
  const View& a = ctx.inputs[0];
  const int64_t axis = ctx.attrs[0].as_int();
  kernels::linear_scan(a, ctx.inputs[1], static_cast<int>(axis < 0 ? axis + a.shape.rank() : axis),
                       ctx.attrs[1].as_bool(), ctx.attrs[2].as_bool(), ctx.outputs[0]);
  return KernelResult::ok();
}

// The gradient of the state after step i is itself a scan back along the axis.
Gradients grad_linear(const GradContext& g) {
  const int64_t axis = g.attr(0).as_int();
  const bool reverse = g.attr(2).as_bool();
  const Tensor a = conj_if_complex(g.input(0));
  const Tensor dy = g.dy();
  const Tensor ds = g.attr(1).as_bool() ? linear_scan(a, dy, axis, true, !reverse)
                                        : dy + linear_scan(a, a * dy, axis, true, !reverse);
  Gradients gradients = {{}, ds};
  if (g.needs(0)) {
    const Tensor before = linear_scan(g.input(0), g.input(1), axis, true, reverse);
    gradients[0] = ds * conj_if_complex(before);
  }
  return gradients;
}

std::vector<Sample> samples_linear() {
  return {
      {{f32({5}), f32({5})}},
      {{f32({2, 3, 4}), f32({2, 3, 4})}, {{"axis", 1}}},
      {{f32({2, 3}), f32({2, 3})}, {{"axis", -1}, {"exclusive", true}}},
      {{f32({2, 3}), f32({2, 3})}, {{"axis", 0}, {"reverse", true}}},
      {{f32({4, 3}), f32({4, 3})}, {{"axis", 0}, {"exclusive", true}, {"reverse", true}}},
      {{f32({2, 0}), f32({2, 0})}, {{"axis", 1}}},
      {{of(DType::kFloat64, {3, 4}), of(DType::kFloat64, {3, 4})}, {{"axis", 1}}},
      {{of(DType::kFloat16, {3, 4}), of(DType::kFloat16, {3, 4})}, {{"axis", 1}}},
      {{of(DType::kBFloat16, {3, 4}), of(DType::kBFloat16, {3, 4})}, {{"axis", 0}}},
      {{of(DType::kComplex64, {3, 2}), of(DType::kComplex64, {3, 2})}, {{"axis", 0}}},
      {{of(DType::kComplex128, {3, 2}), of(DType::kComplex128, {3, 2})}, {{"axis", 1}}},
      {.inputs = {f32({1024, 1024}, -1, 1), f32({1024, 1024})},
       .attrs = {{"axis", 1}},
       .for_speed = true},
  };
}

std::vector<Sample> samples() {
  return {
      {{f32({5}, 0.5, 2)}},
      {{f32({2, 3, 4}, 0.5, 2)}, {{"axis", 1}}},
      {{f32({2, 3}, 0.5, 2)}, {{"axis", -1}, {"exclusive", true}}},
      {{f32({2, 3}, -2, -0.5)}, {{"axis", 0}, {"reverse", true}}},
      {{f32({4, 3}, 0.5, 2)}, {{"axis", 0}, {"exclusive", true}, {"reverse", true}}},
      {{given(DType::kFloat32, {2, 3}, {1, 0, 2, 0, 0, 3})}, {{"axis", 1}}},
      {{f32({2, 0})}, {{"axis", 1}}},
      {{of(DType::kFloat64, {3, 4}, 0.5, 2)}, {{"axis", 1}}},
      {{of(DType::kFloat16, {3, 4}, 0.5, 2)}, {{"axis", 1}}},
      {{of(DType::kBFloat16, {3, 4}, 0.5, 2)}, {{"axis", 0}}},
      {{i32({3, 4})}, {{"axis", 1}}},
      {{of(DType::kInt64, {6}, -5, 6)}, {{"reverse", true}}},
      {{of(DType::kUInt8, {3, 4}, 0, 5)}, {{"axis", 1}}},
      {{of(DType::kComplex64, {3, 2}, 0.5, 2)}, {{"axis", 0}}},
      {{of(DType::kComplex128, {3, 2}, 0.5, 2)}, {{"axis", 1}}},
      {.inputs = {f32({1024, 1024}, 0.9, 1.1)}, .attrs = {{"axis", 1}}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(cumsum) = {
    .name = "Cumsum",
    .doc = "Running sums along an axis; exclusive leaves out the element itself.",
    .inputs = {in("x", kNumberTypes)},
    .attrs = {int_attr("axis", 0), bool_attr("exclusive", false), bool_attr("reverse", false)},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu<Scan::kSum>,
    .grad = grad_sum,
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "axis"}}},
};

PEN_OP_DEF(cumprod) = {
    .name = "Cumprod",
    .doc = "Running products along an axis; exclusive leaves out the element itself.",
    .inputs = {in("x", kNumberTypes)},
    .attrs = {int_attr("axis", 0), bool_attr("exclusive", false), bool_attr("reverse", false)},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu<Scan::kProd>,
    .grad = grad_prod,
    .saves = {.inputs = kAll},
    .samples = samples,
    .graph_name = {.attr_inputs = {{"axis", "axis"}}},
};

PEN_OP_DEF(cumulative_logsumexp) = {
    .name = "CumulativeLogsumexp",
    .doc = "log of running sums of exp along an axis; exclusive leaves out the element itself.",
    .inputs = {in("x", kRealFloatTypes)},
    .attrs = {int_attr("axis", 0), bool_attr("exclusive", false), bool_attr("reverse", false)},
    .forwards = {{0, 0}},
    .infer = infer,
    .cpu = cpu<Scan::kLogSumExp>,
    .grad = grad_logsumexp,
    .saves = {.inputs = kAll, .outputs = kAll},
    .samples = samples_logsumexp,
    .graph_name = {.attr_inputs = {{"axis", "axis"}}},
};

PEN_OP_DEF(linear_scan) = {
    .name = "LinearScan",
    .doc = "s = a[i] * s + b[i] along an axis, from 0 on; exclusive gives s before each step.",
    .inputs = {in("a", kFloatTypes), in("b", kFloatTypes)},
    .attrs = {int_attr("axis", 0), bool_attr("exclusive", false), bool_attr("reverse", false)},
    .forwards = {{0, 0}, {1, 0}},
    .infer = infer_linear,
    .cpu = cpu_linear,
    .grad = grad_linear,
    .saves = {.inputs = kAll},
    .samples = samples_linear,
};

}  // namespace penstock
