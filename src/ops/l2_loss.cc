// L2Loss: half the sum of squares.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/rows.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) { ctx.add_output(ctx.dtype(0), Shape{}); }

KernelResult cpu(const KernelContext& ctx) {
  kernels::l2_loss(ctx.inputs[0], ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) { return {g.input(0) * g.dy()}; }

std::vector<Sample> samples() {
  return {
      {{f32({3, 4})}},
      {{f32({})}},
      {{f32({0})}},
      {{of(DType::kFloat64, {47})}},
      {{of(DType::kFloat16, {2, 3})}},
      {{of(DType::kBFloat16, {2, 3})}},
      {.inputs = {f32({1024, 1024})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(l2_loss) = {
    .name = "L2Loss",
    .doc = "Half the sum of the squares of all elements.",
    .inputs = {in("t", kRealFloatTypes)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = kAll},
    .samples = samples,
};

}  // namespace penstock
