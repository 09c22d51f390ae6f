// Cholesky, and the solves that go with triangular matrices.
#include <penstock/ops/compose.h>

#include "kernels/solve.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;
using linalg::positive;
using linalg::product;
using linalg::regular;

void infer_cholesky(InferContext& ctx) { linalg::infer_square(ctx); }

KernelResult cpu_cholesky(const KernelContext& ctx) {
  kernels::cholesky(ctx.inputs[0], ctx.outputs[0]);
  return KernelResult::ok();
}

// Murray, "Differentiation of the Cholesky decomposition" (2016), and as there for the Hermitian
// input as a whole, though only its lower triangle is read.
Gradients grad_cholesky(const GradContext& g) {
  const Tensor& l = g.output();
  const Tensor middle = product(l, g.dy(), true);
  const Tensor halved = linalg::with_main_diagonal(middle, linalg::main_diagonal(middle) * 0.5);
  const Tensor inverse = triangular_solve(l, linalg::identity_like(l));
  const Tensor da = product(product(inverse, linalg::lower_part(halved), true), inverse);
  return {(da + linalg::adjointed(da)) * 0.5};
}

// triangular_solve

Shape infer_batch(const InferContext& ctx) {
  Shape batch;
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (!broadcast_shapes(linalg::batch_shape(a), linalg::batch_shape(b), &batch))
    ctx.fail("In[0] and In[1] must have compatible batch dimensions: ", a, " vs. ", b);
  return batch;
}

void infer_triangular(InferContext& ctx) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (!a.has_rank() || !b.has_rank()) return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  if (!a.is_known() || !b.is_known()) {
    const bool has_matrices = a.rank() >= 2 && b.rank() >= 2;
    return ctx.add_output(ctx.dtype(0), has_matrices ? linalg::open_solution(ctx, infer_batch(ctx))
                                                     : Shape::unknown_rank());
  }
  const Matrices m = linalg::square_matrices(ctx, 0), rhs = linalg::matrices(ctx, 1);
  if (m.rows != rhs.rows) {
    ctx.fail("In[0] mismatch In[1] shape: ", m.rows, " vs. ", rhs.rows, ": ", a, " ", b, " ",
             ctx.attr(0), " ", ctx.attr(1));
  }
  if (rhs.cols > INT32_MAX) ctx.fail("too large for LAPACK: ", b);
  linalg::require_lapack(ctx, m);
  ctx.add_output(ctx.dtype(0), linalg::with_matrix(infer_batch(ctx), rhs.rows, rhs.cols));
}

KernelResult cpu_triangular(const KernelContext& ctx) {
  const View& out = ctx.outputs[0];
  kernels::triangular_solve(ctx.inputs[0], ctx.inputs[1], ctx.attrs[0].as_bool(),
                            ctx.attrs[1].as_bool(), linalg::batch_shape(out.shape), out);
  return KernelResult::ok();
}

Gradients grad_triangular(const GradContext& g) {
  const bool lower = g.attr(0).as_bool(), adjoint = g.attr(1).as_bool();
  const Tensor& x = g.output();
  const Tensor db = triangular_solve(g.input(0), g.dy(), lower, !adjoint);
  Gradients gradients{{}, {}};
  if (g.needs(0)) {
    const Tensor da = adjoint ? product(x, db, false, true) : product(db, x, false, true);
    const Tensor part = lower ? linalg::lower_part(da) : linalg::upper_part(da);
    gradients[0] = sum_to_like(negative(part), g.input(0));
  }
  if (g.needs(1)) gradients[1] = sum_to_like(db, g.input(1));
  return gradients;
}

Tensors compose_cholesky_solve(const ComposeContext& ctx) {
  const Tensor y = triangular_solve(ctx.tensor(0), ctx.tensor(1));
  return {triangular_solve(ctx.tensor(0), y, true, true)};
}

std::vector<Sample> samples_cholesky() {
  std::vector<Sample> samples = linalg::square_samples(positive);
  samples.push_back({.inputs = {positive(DType::kFloat32, {512, 512})}, .for_speed = true});
  samples.push_back({.inputs = {positive(DType::kFloat32, {4096, 8, 8})}, .for_speed = true});
  return samples;
}

std::vector<Sample> samples_triangular() {
  using enum DType;
  return {
      {{regular(kFloat32, {3, 3}), f32({3, 2})}},
      {{regular(kFloat64, {4, 4}), of(kFloat64, {4, 1})}, {{"lower", false}}},
      {{regular(kFloat64, {3, 3}), of(kFloat64, {3, 2})}, {{"adjoint", true}}},
      {{regular(kFloat64, {2, 3, 3}), of(kFloat64, {1, 3, 2})},
       {{"lower", false}, {"adjoint", true}}},
      {{regular(kFloat64, {3, 3}), of(kFloat64, {2, 3, 2})}},
      {{regular(kComplex64, {3, 3}), of(kComplex64, {3, 2})}},
      {{regular(kComplex128, {3, 3}), of(kComplex128, {3, 2})}, {{"adjoint", true}}},
      {{regular(kFloat32, {0, 0}), f32({0, 2})}},
      {{regular(kFloat32, {2, 2}), f32({2, 0})}},
      {.inputs = {regular(kFloat32, {512, 512}), f32({512, 128})}, .for_speed = true},
  };
}

std::vector<Sample> samples_cholesky_solve() {
  using enum DType;
  return {
      {{regular(kFloat32, {3, 3}), f32({3, 2})}},
      {{regular(kFloat64, {2, 4, 4}), of(kFloat64, {2, 4, 1})}},
      {{regular(kComplex128, {3, 3}), of(kComplex128, {3, 2})}},
      {{regular(kFloat32, {0, 0}), f32({0, 2})}},
      {.inputs = {regular(kFloat32, {512, 512}), f32({512, 1})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(cholesky) = {
    .name = "Cholesky",
    .doc = "The lower triangular L with L · Lᴴ = input; NaN where the input is not positive.",
    .inputs = {in("input", linalg::kTypes)},
    .forwards = {{0, 0}},
    .infer = infer_cholesky,
    .cpu = cpu_cholesky,
    .grad = grad_cholesky,
    .saves = {.outputs = kAll},
    .samples = samples_cholesky,
};

PEN_OP_DEF(triangular_solve) = {
    .name = "MatrixTriangularSolve",
    .doc = "x with matrix · x = rhs for triangular matrices, or their adjoints.",
    .inputs = {in("matrix", linalg::kTypes), in("rhs", linalg::kTypes)},
    .attrs = {bool_attr("lower", true), bool_attr("adjoint", false)},
    .infer = infer_triangular,
    .cpu = cpu_triangular,
    .grad = grad_triangular,
    .saves = {.inputs = 0b01, .outputs = kAll},
    .samples = samples_triangular,
    .graph_name = {"triangular_solve", "MatrixTriangularSolve"},
};

PEN_OP_DEF(cholesky_solve) = {
    .name = "CholeskySolve",
    .doc = "x with A · x = rhs, from the Cholesky factor of A.",
    .inputs = {in("chol", linalg::kTypes), in("rhs", linalg::kTypes)},
    .traits = {Trait::kComposesOpen},
    .infer = composed,
    .compose = compose_cholesky_solve,
    .grad = composed_gradient,
    .samples = samples_cholesky_solve,
    .graph_name = {"cholesky_solve", "MatrixTriangularSolve_1"},
};

}  // namespace penstock
