// Helpers shared by elementwise ops: shapes, kernels by op and dtype, gradients and samples.
#pragma once

#include <vector>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/binary.h"
#include "kernels/formula.h"
#include "kernels/ternary.h"
#include "kernels/unary.h"

namespace penstock::elementwise {

// One output of input 0's dtype and shape.
void infer_unary(InferContext& ctx);
// One output of input 0's dtype and the broadcast shape of inputs 0 and 1.
void infer_binary(InferContext& ctx);
// The same, of bool.
void infer_comparison(InferContext& ctx);
// As infer_binary, for inputs that must have the same shape: "<a> and <b> must have …".
void infer_same_shape(InferContext& ctx);
// One output of bool and input 0's shape.
void infer_test(InferContext& ctx);
// The broadcast shape of the two; fails if they are incompatible.
Shape broadcast(const InferContext& ctx, const Shape& x, const Shape& y);

// `op` is one in the lists of kernels/unary.h or binary.h, or a function in the file of its op
// (kernels/function-inl.h).
template <auto op, int64_t grain>
KernelResult run_unary(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::run_unary(kernels::unary_loop(op, x.dtype), x, ctx.outputs[0], grain);
  return KernelResult::ok();
}

template <auto op, int64_t grain>
KernelResult run_binary(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::run_binary(kernels::binary_loop(op, x.dtype), x, ctx.inputs[1], ctx.outputs[0], grain);
  return KernelResult::ok();
}

template <kernels::TernaryOp op, int64_t grain>
KernelResult run_ternary(const KernelContext& ctx) {
  const View& x = ctx.inputs[0];
  kernels::run_ternary(kernels::ternary_loop(op, x.dtype), x, ctx.inputs[1], ctx.inputs[2],
                       ctx.outputs[0], grain);
  return KernelResult::ok();
}

template <auto op, int64_t grain = kernels::kGrain>
inline constexpr Kernel unary_cpu{run_unary<op, grain>, &kernels::kUnaryFormula<op>};
template <auto op, int64_t grain = kernels::kGrain>
inline constexpr Kernel binary_cpu{run_binary<op, grain>, &kernels::kBinaryFormula<op>};
template <kernels::TernaryOp op, int64_t grain = kernels::kGrain>
inline constexpr Kernel ternary_cpu{run_ternary<op, grain>, &kernels::kTernaryFormula<op>};

// A number as an element of a dtype, for kernels that take an attribute as an operand.
struct Parameter {
  Parameter(DType dtype, double value);
  View view() { return {&storage, dtype, Shape{}}; }
  DType dtype;
  alignas(8) char storage[8];
};

// The complex conjugate, which for real numbers is x itself.
Tensor conjugate(const Tensor& x);

// Samples of every dtype in `dtypes`: broadcasting shapes, scalars, empty tensors and a large one.
// Values are drawn from [low, high); unsigned integers never below 0.
std::vector<Sample> unary_samples(DTypeSet dtypes, double low = -2, double high = 2);
std::vector<Sample> binary_samples(DTypeSet dtypes, double low = -2, double high = 2);

}  // namespace penstock::elementwise
