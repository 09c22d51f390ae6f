// BroadcastTo: a tensor repeated to a larger shape.
#include "kernels/broadcast_to.h"

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  const Shape& from = ctx.shape(0);
  const Shape to = ctx.shape_value(1);
  if (!from.is_known() || !to.is_known()) return ctx.add_output(ctx.dtype(0), to);
  Shape together;
  if (from.rank() > to.rank() || !broadcast_shapes(from, to, &together) || together != to) {
    ctx.fail("Incompatible shapes: ", from, " vs. ", to, ": the first does not broadcast");
  }
  if (from.num_elements() == to.num_elements()) return ctx.share_output(to);
  ctx.add_output(ctx.dtype(0), to);
}

KernelResult cpu(const KernelContext& ctx) {
  kernels::broadcast_to(ctx.inputs[0], ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) { return {sum_to_like(g.dy(), g.input(0)), {}}; }

std::vector<Sample> samples() {
  return {
      {{f32({3}), ints({2, 3})}},
      {{f32({2, 1}), ints({2, 3})}},
      {{f32({2, 1, 3, 1}), ints({2, 2, 3, 2})}},
      {{f32({}), given(DType::kInt64, {2}, {2, 2})}},
      {{f32({3}), ints({1, 3})}},
      {{f32({1, 3}), ints({0, 3})}},
      {{f32({}), ints({})}},
      {{of(DType::kFloat16, {1, 2}), ints({3, 2})}},
      {{of(DType::kUInt8, {3, 1}), ints({3, 2})}},
      {{of(DType::kBool, {2}), ints({2, 2})}},
      {{of(DType::kFloat64, {2, 1}), ints({2, 2, 2})}},
      {{of(DType::kComplex128, {2, 1}), ints({2, 2})}},
      {{of(DType::kString, {2, 1}), ints({2, 3})}},
      {.inputs = {f32({1024, 1}), ints({1024, 1024})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(broadcast_to) = {
    .name = "BroadcastTo",
    .doc = "The input repeated along its axes of size 1, and along new leading ones, to a shape.",
    .inputs = {in("input", kAnyType), host("shape", kIndexTypes)},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
    .repeated_input = 0,
};

}  // namespace penstock
