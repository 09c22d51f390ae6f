// Fill: one value everywhere.
#include "kernels/fill.h"

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  ctx.check_rank(0, 1);
  ctx.check_rank(1, 0);
  ctx.add_output(ctx.dtype(1), ctx.shape_value(0));
}

KernelResult cpu(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  kernels::fill(out.data, ctx.inputs[1].data, dtype_size(out.dtype), out.size());
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) { return {{}, sum_to_like(g.dy(), g.input(1))}; }

std::vector<Sample> samples() {
  return {
      {{ints({2, 3}), f32({})}},
      {{ints({4}), of(DType::kBool, {})}},
      {{ints({0, 2}), of(DType::kComplex128, {})}},
      {{given(DType::kInt64, {3}, {2, 1, 2}), of(DType::kString, {})}},
  };
}

}  // namespace

PEN_OP_DEF(fill) = {
    .name = "Fill",
    .doc = "A tensor of the given dimensions with one value everywhere.",
    .inputs = {host("dims", kIndexTypes), in("value", kAnyType)},
    .traits = {Trait::kMoves, Trait::kCannotFail},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
    .repeated_input = 1,
};

}  // namespace penstock
