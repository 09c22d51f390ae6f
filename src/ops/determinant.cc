// Determinants: MatrixDeterminant, and its logarithm, which neither overflows nor underflows.
#include <penstock/ops/compose.h>

#include "kernels/solve.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;

// `outputs` values for each matrix.
void infer(InferContext& ctx, int outputs) {
  const Shape& shape = ctx.shape(0);
  const bool known = shape.is_known();
  Shape batch = Shape::unknown_rank();
  if (known) {
    const Matrices m = linalg::square_matrices(ctx, 0);
    batch = linalg::batch_shape(shape);
    linalg::require_lapack(ctx, m);
    if (batch.num_elements() > 0) ctx.set_scratch(kernels::determinant_scratch(ctx.dtype(0), m));
  }
  for (int i = 0; i < outputs; ++i) ctx.add_output(ctx.dtype(0), batch);
}

void infer_det(InferContext& ctx) { infer(ctx, 1); }
void infer_log(InferContext& ctx) { infer(ctx, 2); }

KernelResult cpu_det(const KernelContext& ctx) {
  if (ctx.outputs[0].size() > 0) kernels::determinant(ctx.inputs[0], ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}

KernelResult cpu_log(const KernelContext& ctx) {
  if (ctx.outputs[0].size() > 0)
    kernels::log_determinant(ctx.inputs[0], ctx.outputs[0], ctx.outputs[1], ctx.scratch);
  return KernelResult::ok();
}

// A number for each matrix times its inverse's adjoint.
Tensor times_inverse(const Tensor& factor, const Tensor& a) {
  return expand_dims(expand_dims(factor, -1), -1) * inv(a, true);
}

Gradients grad_det(const GradContext& g) {
  return {times_inverse(g.dy() * linalg::conjugate(g.output()), g.input(0))};
}

// With det = sign · exp(l): dl = Re tr(A⁻¹ dA), and the sign turns by Im tr(A⁻¹ dA). A real sign
// does not turn.
Gradients grad_log(const GradContext& g) {
  const Tensor dl = g.dy(1);
  if (!kComplexTypes.has(dl.dtype())) return {times_inverse(dl, g.input(0))};
  const Tensor turn = conj(g.output(0)) * g.dy(0);
  return {times_inverse((dl + conj(dl) + turn - conj(turn)) * 0.5, g.input(0))};
}

Tensors compose_logdet(const ComposeContext& ctx) {
  linalg::square_matrices(ctx, 0);
  const Tensor factor = cholesky(ctx.tensor(0));
  const Tensor diagonal = cast(linalg::main_diagonal(factor), linalg::real_dtype(ctx.dtype(0)));
  return {reduce_sum(log(diagonal), {-1}) * 2};
}

std::vector<Sample> samples() {
  std::vector<Sample> samples = linalg::square_samples();
  samples.push_back({{of(DType::kFloat64, {5, 5})}, {}, 1e-8});
  samples.push_back({{of(DType::kFloat64, {3, 4, 4})}, {}, 1e-8});
  samples.push_back({.inputs = {linalg::regular(DType::kFloat32, {256, 256})}, .for_speed = true});
  return samples;
}

std::vector<Sample> samples_logdet() { return linalg::square_samples(linalg::positive); }

}  // namespace

PEN_OP_DEF(det) = {
    .name = "MatrixDeterminant",
    .doc = "The determinant of each matrix.",
    .inputs = {in("input", linalg::kTypes)},
    .infer = infer_det,
    .cpu = cpu_det,
    .grad = grad_det,
    .saves = {.inputs = 0b1, .outputs = kAll},
    .samples = samples,
};

PEN_OP_DEF(slogdet) = {
    .name = "LogMatrixDeterminant",
    .doc = "The determinant of each matrix as sign · exp(log_abs_determinant).",
    .inputs = {in("input", linalg::kTypes)},
    .outputs = {"sign", "log_abs_determinant"},
    .infer = infer_log,
    .cpu = cpu_log,
    .grad = grad_log,
    .saves = {.inputs = 0b1, .outputs = 0b01},
    .samples = samples,
};

PEN_OP_DEF(logdet) = {
    .name = "Logdet",
    .doc = "The logarithm of the determinant of Hermitian positive definite matrices.",
    .inputs = {in("matrix", linalg::kTypes)},
    .infer = composed,
    .compose = compose_logdet,
    .grad = composed_gradient,
    .samples = samples_logdet,
    .graph_name = {"logdet", "mul"},
};

}  // namespace penstock
