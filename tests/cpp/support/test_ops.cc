#include "support/test_ops.h"

#include <algorithm>

#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock::testing_support {
namespace {

std::vector<Sample> no_samples() { return {}; }

void infer_same(InferContext& ctx) { ctx.add_output(ctx.dtype(0), ctx.shape(0)); }

KernelResult cpu_twice(const KernelContext& ctx) {
  const float* x = ctx.inputs[0].as<float>();
  for (int64_t i = 0; i < ctx.inputs[0].size(); ++i) {
    if (x[i] < 0) return KernelResult::invalid("element {} is {}", i, static_cast<int64_t>(x[i]));
  }
  float* y = ctx.outputs[0].as<float>();
  for (int64_t i = 0; i < ctx.inputs[0].size(); ++i) y[i] = 2 * x[i];
  return KernelResult::ok();
}
Gradients grad_twice(const GradContext& g) { return {g.dy() + g.dy()}; }

KernelResult cpu_square(const KernelContext& ctx) {
  const float* x = ctx.inputs[0].as<float>();
  float* y = ctx.outputs[0].as<float>();
  for (int64_t i = 0; i < ctx.inputs[0].size(); ++i) y[i] = x[i] * x[i];
  return KernelResult::ok();
}
Gradients grad_square(const GradContext& g) { return {g.dy() * g.input(0) * 2}; }

KernelResult cpu_positives(const KernelContext& ctx) {
  const float* x = ctx.inputs[0].as<float>();
  float* y = ctx.outputs[0].as<float>();
  int64_t count = 0;
  for (int64_t i = 0; i < ctx.inputs[0].size(); ++i) {
    if (x[i] > 0) y[count++] = x[i];
  }
  ctx.outputs[0].shape = Shape{count};
  return KernelResult::ok();
}

void infer_scratch(InferContext& ctx) {
  infer_same(ctx);
  ctx.set_scratch(ctx.shape(0).num_elements(), sizeof(float));
}
KernelResult cpu_scratch(const KernelContext& ctx) {
  const int64_t count = ctx.inputs[0].size();
  float* scratch = static_cast<float*>(ctx.scratch);
  std::copy_n(ctx.inputs[0].as<float>(), count, scratch);
  std::copy_n(scratch, count, ctx.outputs[0].as<float>());
  return KernelResult::ok();
}

void infer_attrs(InferContext& ctx) {
  ctx.add_output(ctx.attr(3).as_dtype(), Shape{ctx.attr(0).as_int()});
}
KernelResult cpu_nothing(const KernelContext&) { return KernelResult::ok(); }

}  // namespace

constinit const OpDef twice_op = {
    .name = "TestTwice",
    .doc = "2x.",
    .inputs = {in("x", DType::kFloat32)},
    .forwards = {{0, 0}},
    .infer = infer_same,
    .cpu = cpu_twice,
    .grad = grad_twice,
    .samples = no_samples,
};

constinit const OpDef square_op = {
    .name = "TestSquare",
    .doc = "x * x.",
    .inputs = {in("x", DType::kFloat32)},
    .forwards = {{0, 0}},
    .infer = infer_same,
    .cpu = cpu_square,
    .grad = grad_square,
    .saves = {.inputs = 1},
    .samples = no_samples,
};

constinit const OpDef positives_op = {
    .name = "TestPositives",
    .doc = "The positive elements.",
    .inputs = {in("x", DType::kFloat32)},
    .traits = {Trait::kDynamicShape},
    .infer = infer_same,
    .cpu = cpu_positives,
    .grad = no_gradient,
    .samples = no_samples,
};

constinit const OpDef with_scratch_op = {
    .name = "TestWithScratch",
    .doc = "x.",
    .inputs = {in("x", DType::kFloat32)},
    .infer = infer_scratch,
    .cpu = cpu_scratch,
    .grad = no_gradient,
    .samples = no_samples,
};

constinit const OpDef with_attrs_op = {
    .name = "TestWithAttrs",
    .doc = "Zeros nobody set.",
    .attrs = {int_attr("size"), float_attr("rate", 0.5), bool_attr("flag", false),
              dtype_attr("dtype", DType::kInt8), string_attr("mode", "SAME"),
              ints_attr("axes", kNoInts)},
    .infer = infer_attrs,
    .cpu = cpu_nothing,
    .grad = no_gradient,
    .samples = no_samples,
};

}  // namespace penstock::testing_support
