// Unique: the distinct elements of a list.
#include "kernels/unique.h"

#include <penstock/memory/strings.h>
#include <penstock/ops/context.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const DType out_idx = ctx.attr(0).as_dtype();
  if (!kIndexTypes.has(out_idx)) ctx.fail_type("out_idx must be int32 or int64, but is ", out_idx);
  if (ctx.shape(0).has_rank() && ctx.shape(0).rank() != 1) {
    ctx.fail("unique expects a 1D vector, but got shape ", ctx.shape(0));
  }
  const Shape shape = ctx.shape(0).has_rank() ? ctx.shape(0) : Shape{kUnknownDim};
  if (out_idx == DType::kInt32 && shape[0] > INT32_MAX) {
    ctx.fail("unique does not support input tensors larger than ", INT32_MAX,
             " elements: give out_idx int64");
  }
  ctx.add_bounded_output(ctx.dtype(0), shape);
  ctx.add_output(out_idx, shape);
  if (shape[0] != kUnknownDim) {
    ctx.set_scratch(kernels::unique_slots(shape[0]), kernels::unique_slot_bytes(shape[0]));
  }
}

KernelResult cpu(const KernelContext& ctx) {
  const int64_t found =
      kernels::unique(ctx.inputs[0], ctx.outputs[0], ctx.outputs[1], ctx.scratch, string_text);
  ctx.outputs[0].shape = Shape{found};
  return KernelResult::ok();
}

std::vector<Sample> samples() {
  SampleInput texts = {DType::kString, {5}};
  texts.strings = {"b", "a", "", "b", ""};
  return {
      {{ints({3, 1, 3, 2, 1})}},
      {{ints({3, 1, 3, 2, 1})}, {{"out_idx", DType::kInt64}}},
      {{i32({0})}},
      {{of(DType::kInt64, {30}, -4, 5)}},
      {{of(DType::kUInt8, {12}, 0, 4)}},
      {{of(DType::kInt16, {12}, -2, 2)}},
      {{of(DType::kBool, {5})}},
      {{given(DType::kFloat32, {5}, {1.5, -0.0, 0, 2, 1.5})}},
      {{given(DType::kFloat64, {4}, {1, 2, 1, 3})}},
      {{given(DType::kFloat16, {4}, {1, 2, 1, 3})}},
      {{given(DType::kBFloat16, {4}, {1, 2, 1, 3})}},
      {{given(DType::kComplex64, {4}, {1, 2, 1, 3})}},
      {{texts}},
      {{i32({100000}, 0, 5000)}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(unique) = {
    .name = "Unique",
    .doc =
        "The distinct elements of x in the order of their first occurrence, and for every "
        "element of x its place among them.",
    .inputs = {in("x", kAnyType)},
    .attrs = {dtype_attr("out_idx", DType::kInt32)},
    .outputs = {"y", "idx"},
    .traits = {Trait::kDynamicShape},
    .infer = infer,
    .cpu = cpu,
    .grad = missing_gradient,
    .samples = samples,
};

}  // namespace penstock
