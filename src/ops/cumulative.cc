// Cumsum and Cumprod: running sums and products along an axis.
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

// As TensorFlow's: not defined where x has zeros.
Gradients grad_prod(const GradContext& g) {
  const Tensor& x = g.input(0);
  const int64_t axis = g.attr(0).as_int();
  const bool exclusive = g.attr(1).as_bool();
  const bool reverse = g.attr(2).as_bool();
  const Tensor products = conj_if_complex(cumprod(x, axis, exclusive, reverse));
  return {cumsum(products * g.dy(), axis, exclusive, !reverse) / conj_if_complex(x)};
}

// Away from zero, which the gradient of products divides by.
std::vector<Sample> samples() {
  return {
      {{f32({5}, 0.5, 2)}},
      {{f32({2, 3, 4}, 0.5, 2)}, {{"axis", 1}}},
      {{f32({2, 3}, 0.5, 2)}, {{"axis", -1}, {"exclusive", true}}},
      {{f32({2, 3}, -2, -0.5)}, {{"axis", 0}, {"reverse", true}}},
      {{f32({4, 3}, 0.5, 2)}, {{"axis", 0}, {"exclusive", true}, {"reverse", true}}},
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
};

}  // namespace penstock
