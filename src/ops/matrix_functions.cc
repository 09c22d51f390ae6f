// MatrixExponential, MatrixLogarithm and MatrixSquareRoot: functions of whole matrices.
//
// Their derivative at A in the direction E is the upper right block of f([A E; 0 A]), and the
// gradient is the derivative at Aᴴ in the direction of dy: so the op is its own gradient.
#include "kernels/matrix_functions.h"

#include "ops/linalg.h"

namespace penstock {
namespace {

using linalg::regular;

Tensor block_derivative(const GradContext& g, Tensor (*function)(const Operand&)) {
  const Tensor a = linalg::adjointed(g.input(0));
  const int64_t n = a.dim(-1);
  const Tensor top[] = {a, g.dy()}, bottom[] = {zeros_like(a), a};
  const Tensor halves[] = {concat(top, -1), concat(bottom, -1)};
  return linalg::block(function(concat(halves, -2)), 0, n, n, n);
}

void infer_exponential(InferContext& ctx) {
  if (linalg::infer_square(ctx) && ctx.shape(0).num_elements() > 0) {
    ctx.set_scratch(kernels::matrix_exponential_scratch(ctx.dtype(0), linalg::matrices(ctx, 0)));
  }
}

void infer_root(InferContext& ctx) {
  if (linalg::infer_square(ctx) && ctx.shape(0).num_elements() > 0)
    ctx.set_scratch(kernels::matrix_root_scratch(linalg::matrices(ctx, 0)));
}

KernelResult cpu_exponential(const KernelContext& ctx) {
  kernels::matrix_exponential(ctx.inputs[0], ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}
KernelResult cpu_logarithm(const KernelContext& ctx) {
  kernels::matrix_logarithm(ctx.inputs[0], ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}
KernelResult cpu_root(const KernelContext& ctx) {
  kernels::matrix_square_root(ctx.inputs[0], ctx.outputs[0], ctx.scratch);
  return KernelResult::ok();
}

Gradients grad_exponential(const GradContext& g) { return {block_derivative(g, expm)}; }
Gradients grad_logarithm(const GradContext& g) { return {block_derivative(g, logm)}; }
Gradients grad_root(const GradContext& g) { return {block_derivative(g, sqrtm)}; }

std::vector<Sample> samples_exponential() {
  using enum DType;
  std::vector<Sample> samples;
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 2, 2}, Shape{1, 1}, Shape{0, 0}, Shape{0, 2, 2}})
    samples.push_back({{of(kFloat64, shape, -1, 1)}});
  samples.push_back({{f32({3, 3}, -1, 1)}, {}, 1e-4});
  samples.push_back({{of(kFloat64, {3, 3}, -8, 8)}, {}, 1e-9, false});
  samples.push_back({{of(kComplex64, {3, 3}, -1, 1)}, {}, 1e-4});
  samples.push_back({{of(kComplex128, {2, 3, 3}, -1, 1)}});
  samples.push_back({.inputs = {f32({128, 128}, -0.1, 0.1)}, .for_speed = true});
  return samples;
}

std::vector<Sample> samples_logarithm() {
  using enum DType;
  return {
      {{regular(kComplex64, {3, 3})}, {}, 1e-4},
      {{regular(kComplex128, {2, 3, 3})}},
      {{regular(kComplex128, {1, 1})}},
      {{regular(kComplex64, {0, 0})}},
      {{of(kComplex128, {4, 4}, -1, 1)}, {}, 1e-8, false},
  };
}

std::vector<Sample> samples_root() {
  std::vector<Sample> samples = linalg::square_samples();
  samples.push_back({.inputs = {regular(DType::kFloat32, {64, 64})}, .for_speed = true});
  return samples;
}

}  // namespace

PEN_OP_DEF(expm) = {
    .name = "MatrixExponential",
    .doc = "The exponential of each matrix.",
    .inputs = {in("input", linalg::kTypes)},
    .infer = infer_exponential,
    .cpu = cpu_exponential,
    .grad = grad_exponential,
    .saves = {.inputs = 0b1},
    .samples = samples_exponential,
    .graph_name = {"matrix_exponential", "Reshape_1"},
};

PEN_OP_DEF(logm) = {
    .name = "MatrixLogarithm",
    .doc = "The principal logarithm of each matrix.",
    .inputs = {in("input", kComplexTypes)},
    .infer = infer_root,
    .cpu = cpu_logarithm,
    .grad = grad_logarithm,
    .saves = {.inputs = 0b1},
    .samples = samples_logarithm,
};

PEN_OP_DEF(sqrtm) = {
    .name = "MatrixSquareRoot",
    .doc = "The principal square root of each matrix; NaN where a real matrix has no real one.",
    .inputs = {in("input", linalg::kTypes)},
    .infer = infer_root,
    .cpu = cpu_root,
    .grad = grad_root,
    .saves = {.inputs = 0b1},
    .samples = samples_root,
};

}  // namespace penstock
