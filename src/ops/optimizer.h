// Helpers shared by the optimisers' update ops: the layout of their inputs, infer and kernel.
//
// An update maps a variable, its slots and a gradient to the new variable and slots. Donated states
// are updated in place; otherwise they are copied. No op here has a gradient.
#pragma once

#include <penstock/ops/context.h>

#include "kernels/optimizers.h"

namespace penstock {

// States come first, one for each output. Every input that is neither gradient nor indices is a
// number of rank 0, in the rule's order. Optional attributes: use_nesterov, weight_decay.
struct UpdateInputs {
  kernels::UpdateRule rule;
  size_t states;
  size_t grad;
  size_t indices = 0;  // 0: the gradient is dense
};

void infer_update(InferContext& ctx, const UpdateInputs& inputs);
KernelResult run_update(const KernelContext& ctx, const UpdateInputs& inputs);

template <const UpdateInputs& kInputs>
void infer_as(InferContext& ctx) {
  infer_update(ctx, kInputs);
}
template <const UpdateInputs& kInputs>
KernelResult run_as(const KernelContext& ctx) {
  return run_update(ctx, kInputs);
}

}  // namespace penstock
