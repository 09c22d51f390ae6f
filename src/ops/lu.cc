// Lu: triangular factors with exchanged rows, and what is solved with them.
#include <penstock/ops/compose.h>

#include "kernels/solve.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;
using linalg::product;
using linalg::regular;

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const DType index = ctx.attr(0).as_dtype();
  if (!kIndexTypes.has(index)) ctx.fail_type("output_idx_type must be int32 or int64, not ", index);
  Shape rows = shape;
  if (shape.is_known()) {
    const Matrices m = linalg::square_matrices(ctx, 0);
    linalg::require_lapack(ctx, m);
    if (shape.num_elements() > 0) ctx.set_scratch(kernels::lu_scratch(ctx.dtype(0), m));
    rows.remove(rows.rank() - 1);
  }
  ctx.add_output(ctx.dtype(0), shape);
  ctx.add_output(index, shape.is_known() ? rows : Shape::unknown_rank());
}

KernelResult cpu(const KernelContext& ctx) {
  const int64_t failed = kernels::lu(ctx.inputs[0], ctx.outputs[0], ctx.outputs[1], ctx.scratch);
  return failed < 0 ? KernelResult::ok() : KernelResult::invalid("Input is not invertible.");
}

// The matrices that exchange rows: (P a)[i] = a[permutation[i]].
Tensor exchange(const Tensor& permutation, DType dtype) {
  return one_hot(permutation,
                 linalg::as_dtype(linalg::scalar_int(permutation.dim(-1)), DType::kInt32),
                 Tensor::scalar(dtype, 1), Tensor::scalar(dtype, 0));
}

Tensor unit_lower(const Tensor& lu) {
  Shape diagonal = lu.shape();
  diagonal.remove(diagonal.rank() - 1);
  return linalg::with_main_diagonal(linalg::lower_part(lu), ones(lu.dtype(), diagonal));
}

Tensor without_diagonal(const Tensor& x) {
  return linalg::with_main_diagonal(x, zeros_like(linalg::main_diagonal(x)));
}

// dA = Pᵀ L⁻ᴴ (the strict lower part of Lᴴ dL + the upper part of dU Uᴴ) U⁻ᴴ
Gradients grad(const GradContext& g) {
  const Tensor &lu = g.output(0), &permutation = g.output(1);
  const Tensor dy = g.dy(0);
  const Tensor l = unit_lower(lu), u = linalg::upper_part(lu);
  const Tensor dl = without_diagonal(linalg::lower_part(dy)), du = linalg::upper_part(dy);
  const Tensor middle = without_diagonal(linalg::lower_part(product(l, dl, true))) +
                        linalg::upper_part(product(du, u, false, true));
  const Tensor left = triangular_solve(l, middle, true, true);
  const Tensor both = linalg::adjointed(triangular_solve(u, linalg::adjointed(left), false));
  return {product(exchange(permutation, dy.dtype()), both, true)};
}

void check_factors(const ComposeContext& ctx) {
  linalg::square_matrices(ctx, 0);
  Shape rows = ctx.shape(0);
  rows.remove(rows.rank() - 1);
  if (!(rows == ctx.shape(1)))
    ctx.fail("lower_upper of shape ", ctx.shape(0), " and perm of shape ", ctx.shape(1));
}

Tensor solve_with(const Tensor& lu, const Tensor& permutation, const Tensor& rhs) {
  const Tensor exchanged = product(exchange(permutation, lu.dtype()), rhs);
  return triangular_solve(lu, triangular_solve(unit_lower(lu), exchanged), false);
}

Tensors compose_solve(const ComposeContext& ctx) {
  check_factors(ctx);
  linalg::matrices(ctx, 2);
  return {solve_with(ctx.tensor(0), ctx.tensor(1), ctx.tensor(2))};
}

Tensors compose_inverse(const ComposeContext& ctx) {
  check_factors(ctx);
  return {solve_with(ctx.tensor(0), ctx.tensor(1), linalg::identity_like(ctx.tensor(0)))};
}

Tensors compose_reconstruct(const ComposeContext& ctx) {
  check_factors(ctx);
  const Tensor& lu = ctx.tensor(0);
  const Tensor exchanged = product(unit_lower(lu), linalg::upper_part(lu));
  return {product(exchange(ctx.tensor(1), lu.dtype()), exchanged, true)};
}

std::vector<Sample> samples() {
  using enum DType;
  std::vector<Sample> samples = linalg::square_samples();
  samples.push_back({{of(kFloat64, {5, 5})}, {}, 1e-8});
  samples.push_back({{of(kFloat64, {2, 4, 4})}, {{"output_idx_type", kInt64}}, 1e-8});
  samples.push_back({.inputs = {regular(kFloat32, {512, 512})}, .for_speed = true});
  return samples;
}

std::vector<Sample> factor_samples() {
  using enum DType;
  return {
      {{regular(kFloat32, {3, 3}), ints({2, 0, 1})}},
      {{regular(kFloat64, {2, 2, 2}), given(kInt64, {2, 2}, {1, 0, 0, 1})}},
      {{regular(kComplex128, {2, 2}), ints({1, 0})}},
      {{regular(kFloat32, {0, 0}), ints({})}},
  };
}

std::vector<Sample> solve_samples() {
  std::vector<Sample> samples = factor_samples();
  for (Sample& sample : samples) {
    Shape rhs = sample.inputs[0].shape;
    rhs.set(rhs.rank() - 1, 2);
    sample.inputs.push_back(of(sample.inputs[0].dtype, rhs));
  }
  return samples;
}

}  // namespace

PEN_OP_DEF(lu) = {
    .name = "Lu",
    .doc = "L (of unit diagonal) and U in one matrix; row i of L · U is row p[i] of the input.",
    .inputs = {in("input", linalg::kTypes)},
    .attrs = {dtype_attr("output_idx_type", DType::kInt32)},
    .outputs = {"lu", "p"},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.outputs = 0b11},
    .samples = samples,
};

PEN_OP_DEF(lu_solve) = {
    .name = "LuSolve",
    .doc = "x with A · x = rhs, from the factors of A that lu gives.",
    .inputs = {in("lower_upper", linalg::kTypes), in("perm", kIndexTypes, 'P'),
               in("rhs", linalg::kTypes)},
    .infer = composed,
    .compose = compose_solve,
    .grad = composed_gradient,
    .samples = solve_samples,
    .graph_name = {"lu_solve", "triangular_solve_1/MatrixTriangularSolve"},
};

PEN_OP_DEF(lu_matrix_inverse) = {
    .name = "LuMatrixInverse",
    .doc = "The inverse of A, from the factors of A that lu gives.",
    .inputs = {in("lower_upper", linalg::kTypes), in("perm", kIndexTypes, 'P')},
    .infer = composed,
    .compose = compose_inverse,
    .grad = composed_gradient,
    .samples = factor_samples,
    .graph_name = {"lu_matrix_inverse", "lu_solve/triangular_solve_1/MatrixTriangularSolve"},
};

PEN_OP_DEF(lu_reconstruct) = {
    .name = "LuReconstruct",
    .doc = "A, from the factors of A that lu gives.",
    .inputs = {in("lower_upper", linalg::kTypes), in("perm", kIndexTypes, 'P')},
    .infer = composed,
    .compose = compose_reconstruct,
    .grad = composed_gradient,
    .samples = factor_samples,
    .graph_name = {"lu_reconstruct", "GatherV2"},
};

}  // namespace penstock
