// What elementwise ops share: shapes, kernels by op and dtype, gradients' helpers and samples.
#pragma once

#include <vector>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/binary.h"
#include "kernels/unary.h"

namespace penstock::elementwise {

// One output of input 0's dtype and shape.
void infer_unary(InferContext& ctx);
// One output of input 0's dtype and the shape that inputs 0 and 1 broadcast to.
void infer_binary(InferContext& ctx);
// The same, of bool.
void infer_comparison(InferContext& ctx);
// What the two shapes broadcast to; fails when they do not.
Shape broadcast(const InferContext& ctx, const Shape& x, const Shape& y);

template <kernels::UnaryOp op, int64_t grain = kernels::kGrain>
KernelResult unary_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::run_unary(kernels::unary_loop(op, x.dtype), x, ctx.outputs[0], grain);
  return KernelResult::ok();
}

template <kernels::BinaryOp op, int64_t grain = kernels::kGrain>
KernelResult binary_cpu(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::run_binary(kernels::binary_loop(op, x.dtype), x, ctx.inputs[1], ctx.outputs[0], grain);
  return KernelResult::ok();
}

// The complex conjugate, which for real numbers is x itself.
Tensor conjugate(const Tensor& x);

// Samples of every dtype of `dtypes`, of shapes that broadcast, scalars, empty tensors and a large
// one. Values are drawn from [low, high); those of unsigned integers not from below 0.
std::vector<Sample> unary_samples(DTypeSet dtypes, double low = -2, double high = 2);
std::vector<Sample> binary_samples(DTypeSet dtypes, double low = -2, double high = 2);

}  // namespace penstock::elementwise
