// Helpers shared by reductions: the attributes `axis` (default: all axes) and `keepdims`, the
// resulting shape, and the way back from a reduced tensor to the input's shape.
#pragma once

#include <penstock/ops/context.h>
#include <penstock/ops/gradient.h>

#include "kernels/formula.h"
#include "kernels/reduce.h"

namespace penstock {

// infer of a reduction of input 0 with attributes axis and keepdims.
void infer_reduction(InferContext& ctx);

// A bit for each reduced axis. Pre: infer_reduction has accepted them.
uint32_t reduced_axes(Attrs attrs, int rank);

template <kernels::Reduction kReduction>
KernelResult run_reduce(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::reduce(kReduction, x, reduced_axes(ctx.attrs, x.shape.rank()), ctx.outputs[0]);
  return KernelResult::ok();
}

template <kernels::Reduction kReduction>
inline constexpr Kernel run_reduction{run_reduce<kReduction>,
                                      &kernels::kReductionFormula<kReduction>};

// For gradients: a tensor of the output's shape, with the reduced axes restored as size 1.
Tensor with_reduced_axes(const GradContext& g, const Tensor& reduced);
// The same, broadcast to the input's shape.
Tensor spread(const GradContext& g, const Tensor& reduced);

}  // namespace penstock
