// Pack: stacks tensors of one shape along a new axis. Unpack: the reverse.
#include <penstock/core/fits.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

// Counts from the end when negative. Pre: infer has checked it.
int axis_of(int rank, const Attr& attr) {
  const int64_t axis = attr.as_int();
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void infer_stack(InferContext& ctx) {
  Shape shape = ctx.shape(0);
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!shape.has_rank()) shape = ctx.shape(i);
    if (!ctx.shape(i).has_rank()) continue;
    if (!fits(ctx.shape(i), shape)) {
      ctx.fail("Shapes of all inputs must match: values[0].shape = ", shape, " != values[", i,
               "].shape = ", ctx.shape(i));
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == kUnknownDim) shape.set(axis, ctx.shape(i)[axis]);
    }
  }
  if (!shape.has_rank()) return ctx.add_output(ctx.dtype(0), shape);
  shape.insert(ctx.axis(ctx.attr(0).as_int(), shape.rank() + 1),
               static_cast<int64_t>(ctx.num_inputs()));
  if (ctx.num_inputs() == 1) return ctx.share_output(shape);
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu_stack(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const auto parts = kernels::parts_at(out.shape, axis_of(out.shape.rank(), ctx.attrs[0]));
  for (size_t i = 0; i < ctx.inputs.size(); ++i) {
    kernels::Move part;
    part.add(parts.outer, parts.inner, parts.size * parts.inner);
    part.add(parts.inner, 1, 1);
    part.to_start = static_cast<int64_t>(i) * parts.inner;
    kernels::move(part, ctx.inputs[i].data, out.data, dtype_size(out.dtype));
  }
  return KernelResult::ok();
}

Gradients grad_stack(const GradContext& g) {
  const Tensors parts = unstack(g.dy(), static_cast<int64_t>(g.num_inputs()), g.attr(0).as_int());
  return Gradients(parts.begin(), parts.end());
}

void infer_unstack(InferContext& ctx) {
  Shape shape = ctx.shape(0);
  const int64_t num = ctx.attr(0).as_int();
  // An empty tensor could have any number of parts; no call needs more than these.
  constexpr int64_t kMaxParts = 1 << 20;
  if (num < 0 || num > kMaxParts) ctx.fail("num must be in [0, ", kMaxParts, "], but is ", num);
  if (!shape.has_rank()) {
    for (int64_t i = 0; i < num; ++i) ctx.add_output(ctx.dtype(0), shape);
    return;
  }
  const int axis = ctx.axis(ctx.attr(1).as_int(), shape.rank());
  if (shape[axis] != num && shape[axis] != kUnknownDim) {
    ctx.fail("Input shape axis ", axis, " must equal ", num, ", got shape ", shape);
  }
  shape.remove(axis);
  // Along the leading axis every part is a run of the input.
  const bool shares = ctx.shape(0).is_known() && kernels::product(ctx.shape(0), 0, axis) == 1;
  const int64_t bytes = shares ? shape.num_bytes(dtype_size(ctx.dtype(0))) : 0;
  for (int64_t i = 0; i < num; ++i) {
    if (shares) {
      ctx.share_output(shape, 0, i * bytes);
    } else {
      ctx.add_output(ctx.dtype(0), shape);
    }
  }
}

KernelResult cpu_unstack(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  if (in.size() == 0) return KernelResult::ok();
  const auto parts = kernels::parts_at(in.shape, axis_of(in.shape.rank(), ctx.attrs[1]));
  for (size_t i = 0; i < ctx.outputs.size(); ++i) {
    kernels::Move part;
    part.add(parts.outer, parts.size * parts.inner, parts.inner);
    part.add(parts.inner, 1, 1);
    part.from_start = static_cast<int64_t>(i) * parts.inner;
    kernels::move(part, in.data, ctx.outputs[i].data, dtype_size(in.dtype));
  }
  return KernelResult::ok();
}

Gradients grad_unstack(const GradContext& g) {
  if (g.num_outputs() == 0) return {zeros_like(g.input(0))};
  Tensors dys;
  for (size_t i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  return {stack(std::span<const Tensor>(dys), g.attr(1).as_int())};
}

std::vector<Sample> stack_samples() {
  return {
      {{f32({2, 3}), f32({2, 3}), f32({2, 3})}, {{"axis", 0}}},
      {{f32({2, 3}), f32({2, 3})}, {{"axis", -1}}},
      {{f32({2, 3}), f32({2, 3})}, {{"axis", 1}}},
      {{of(DType::kFloat64, {}), of(DType::kFloat64, {})}},
      {{of(DType::kFloat16, {2})}, {{"axis", 1}}},
      {{of(DType::kInt32, {2}), of(DType::kInt32, {2})}, {{"axis", -2}}},
      {{of(DType::kBool, {3}), of(DType::kBool, {3})}, {{"axis", 1}}},
      {{of(DType::kComplex64, {2}), of(DType::kComplex64, {2})}, {{"axis", 1}}},
      {{of(DType::kString, {2}), of(DType::kString, {2})}, {{"axis", 1}}},
      {{f32({0, 2}), f32({0, 2})}, {{"axis", 1}}},
      {{f32({256, 256}), f32({256, 256})}, {{"axis", 2}}, 0, true, true},
  };
}

std::vector<Sample> unstack_samples() {
  return {
      {{f32({3, 2})}, {{"num", 3}}},
      {{f32({2, 3, 2})}, {{"num", 3}, {"axis", 1}}},
      {{of(DType::kFloat64, {2, 3})}, {{"num", 3}, {"axis", -1}}},
      {{of(DType::kInt64, {4})}, {{"num", 4}}},
      {{of(DType::kUInt8, {2, 2})}, {{"num", 2}, {"axis", 1}}},
      {{of(DType::kComplex64, {2, 2})}, {{"num", 2}, {"axis", 1}}},
      {{of(DType::kString, {2, 2})}, {{"num", 2}, {"axis", 1}}},
      {{f32({2, 0})}, {{"num", 2}}},
      {{f32({512, 512, 2})}, {{"num", 2}, {"axis", 2}}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(stack) = {
    .name = "Pack",
    .doc = "Tensors of one shape side by side along a new axis.",
    .inputs = {many("values", kAnyType)},
    .attrs = {int_attr("axis", 0)},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer_stack,
    .cpu = cpu_stack,
    .grad = grad_stack,
    .samples = stack_samples,
    .graph_name = {"stack"},
};

PEN_OP_DEF(unstack) = {
    .name = "Unpack",
    .doc = "The slices of a tensor along an axis, without that axis.",
    .inputs = {in("value", kAnyType)},
    .attrs = {int_attr("num"), int_attr("axis", 0)},
    .traits = {Trait::kMoves, Trait::kManyOutputs},
    .infer = infer_unstack,
    .cpu = cpu_unstack,
    .grad = grad_unstack,
    .samples = unstack_samples,
    .graph_name = {"unstack"},
};

}  // namespace penstock
