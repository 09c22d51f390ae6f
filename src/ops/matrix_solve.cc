// MatrixSolve, MatrixInverse and MatrixSolveLs: systems of linear equations.
#include <penstock/ops/compose.h>

#include "kernels/solve.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;
using linalg::product;
using linalg::regular;

void check_batches(const InferContext& ctx) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (a.rank() != b.rank())
    ctx.fail("All input tensors must have the same rank, but got ", a, " and ", b);
  if (!(linalg::batch_shape(a) == linalg::batch_shape(b)))
    ctx.fail("All input tensors must have the same outer dimensions, but got ", a, " and ", b);
}

// The known dimensions of the batch, which is the same for a and b.
Shape common_batch(const Shape& a, const Shape& b) {
  Shape batch = linalg::batch_shape(a);
  for (int i = 0; i < batch.rank(); ++i) {
    if (batch[i] == kUnknownDim) batch.set(i, b[i]);
  }
  return batch;
}

void infer_solve(InferContext& ctx) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (!a.is_known() || !b.is_known()) {
    const bool has_matrices = a.has_rank() && a.rank() >= 2 && a.rank() == b.rank();
    return ctx.add_output(ctx.dtype(0),
                          has_matrices ? linalg::open_solution(ctx, common_batch(a, b)) : b);
  }
  ctx.add_output(ctx.dtype(0), b);
  const Matrices m = linalg::matrices(ctx, 0), rhs = linalg::matrices(ctx, 1);
  check_batches(ctx);
  if (m.rows != m.cols) ctx.fail("First input (lhs) must be a square matrix, but is ", a);
  if (m.rows != rhs.rows) ctx.fail("Input matrix and rhs are incompatible: ", a, " and ", b);
  if (rhs.cols > INT32_MAX) ctx.fail("too large for LAPACK: ", b);
  linalg::require_lapack(ctx, m);
  if (b.num_elements() > 0) ctx.set_scratch(kernels::solve_scratch(ctx.dtype(0), m));
}

KernelResult cpu_solve(const KernelContext& ctx) {
  const int64_t failed = kernels::solve(ctx.inputs[0], ctx.inputs[1], ctx.attrs[0].as_bool(),
                                        ctx.outputs[0], ctx.scratch);
  return failed < 0 ? KernelResult::ok() : KernelResult::invalid("Input matrix is not invertible.");
}

Gradients grad_solve(const GradContext& g) {
  const bool adjoint = g.attr(0).as_bool();
  const Tensor& x = g.output();
  const Tensor db = solve(g.input(0), g.dy(), !adjoint);
  Gradients gradients{{}, {}};
  if (g.needs(0)) {
    gradients[0] = negative(adjoint ? product(x, db, false, true) : product(db, x, false, true));
  }
  if (g.needs(1)) gradients[1] = db;
  return gradients;
}

void infer_inverse(InferContext& ctx) {
  if (linalg::infer_square(ctx) && ctx.shape(0).num_elements() > 0)
    ctx.set_scratch(kernels::inverse_scratch(ctx.dtype(0), linalg::matrices(ctx, 0)));
}

KernelResult cpu_inverse(const KernelContext& ctx) {
  const int64_t failed =
      kernels::inverse(ctx.inputs[0], ctx.attrs[0].as_bool(), ctx.outputs[0], ctx.scratch);
  return failed < 0 ? KernelResult::ok() : KernelResult::invalid("Input is not invertible.");
}

Gradients grad_inverse(const GradContext& g) {
  const bool adjoint = g.attr(0).as_bool();
  const Tensor& inverse = g.output();
  const Tensor right = product(g.dy(), inverse, adjoint, !adjoint);
  return {negative(product(inverse, right, !adjoint))};
}

// The normal equations (AᴴA + λ) x = Aᴴ b, or those of the dual problem where A is wide.
Tensor solve_normal(const Tensor& a, const Tensor& b, const Tensor& l2) {
  const bool is_tall = a.dim(-2) >= a.dim(-1);
  const Tensor gram = is_tall ? product(a, a, true) : product(a, a, false, true);
  const Tensor factor = cholesky(gram + linalg::identity_like(gram) * l2);
  if (is_tall) return cholesky_solve(factor, product(a, b, true));
  return product(a, cholesky_solve(factor, b), true);
}

// The result has the matrix's number of columns as rows, and the columns of the right side.
void infer_lstsq(InferContext& ctx) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (!a.has_rank() || a.rank() < 2 || a.rank() != b.rank())
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  ctx.add_output(ctx.dtype(0),
                 linalg::with_matrix(common_batch(a, b), a[a.rank() - 1], b[b.rank() - 1]));
}

Tensors compose_lstsq(const ComposeContext& ctx) {
  const Matrices m = linalg::matrices(ctx, 0), rhs = linalg::matrices(ctx, 1);
  check_batches(ctx);
  if (m.rows != rhs.rows)
    ctx.fail("Input matrix and rhs are incompatible: ", ctx.shape(0), " and ", ctx.shape(1));
  if (ctx.shape(2).rank() != 0)
    ctx.fail("l2_regularizer must be scalar, but its shape is ", ctx.shape(2));
  const Tensor &a = ctx.tensor(0), &b = ctx.tensor(1);
  if (a.num_elements() == 0)
    return {zeros(ctx.dtype(0),
                  linalg::with_matrix(linalg::batch_shape(ctx.shape(0)), m.cols, rhs.cols))};
  if (ctx.attr(0).as_bool())
    return {solve_normal(a, b, linalg::as_dtype(ctx.tensor(2), a.dtype()))};
  return {product(pinv(a), b)};
}

std::vector<Sample> samples_solve() {
  using enum DType;
  return {
      {{regular(kFloat32, {3, 3}), f32({3, 2})}},
      {{regular(kFloat64, {2, 4, 4}), of(kFloat64, {2, 4, 1})}},
      {{regular(kFloat64, {3, 3}), of(kFloat64, {3, 2})}, {{"adjoint", true}}},
      {{regular(kComplex64, {3, 3}), of(kComplex64, {3, 2})}},
      {{regular(kComplex128, {5, 5}), of(kComplex128, {5, 2})}, {{"adjoint", true}}},
      {{of(kFloat64, {6, 6}), of(kFloat64, {6, 3})}, {}, 1e-8},
      {{of(kFloat64, {6, 6}), of(kFloat64, {6, 3})}, {{"adjoint", true}}, 1e-8},
      {{regular(kFloat32, {0, 0}), f32({0, 2})}},
      {{regular(kFloat32, {2, 2}), f32({2, 0})}},
      {{regular(kFloat32, {0, 2, 2}), f32({0, 2, 1})}},
      {.inputs = {regular(kFloat32, {512, 512}), f32({512, 16})}, .for_speed = true},
      {.inputs = {regular(kFloat32, {4096, 8, 8}), f32({4096, 8, 1})}, .for_speed = true},
  };
}

std::vector<Sample> samples_inverse() {
  using enum DType;
  std::vector<Sample> samples = linalg::square_samples();
  samples.push_back({{of(kFloat64, {5, 5})}, {{"adjoint", true}}, 1e-8});
  samples.push_back({{regular(kComplex128, {2, 3, 3})}, {{"adjoint", true}}});
  samples.push_back({.inputs = {regular(kFloat32, {512, 512})}, .for_speed = true});
  return samples;
}

std::vector<Sample> samples_lstsq() {
  using enum DType;
  const SampleInput none = given(kFloat64, {}, {0}), some = given(kFloat64, {}, {0.3});
  return {
      {{regular(kFloat32, {5, 3}), f32({5, 2}), none}, {}, 1e-3},
      {{regular(kFloat64, {2, 4, 2}), of(kFloat64, {2, 4, 1}), some}},
      {{regular(kFloat64, {2, 4}), of(kFloat64, {2, 2}), some}},
      {{regular(kComplex128, {4, 2}), of(kComplex128, {4, 1}), none}},
      {{regular(kFloat64, {4, 3}), of(kFloat64, {4, 2}), none}, {{"fast", false}}},
      {{regular(kFloat64, {2, 3}), of(kFloat64, {2, 2}), none}, {{"fast", false}}},
      {{regular(kFloat32, {3, 0}), f32({3, 2}), none}},
      {.inputs = {regular(kFloat32, {1024, 64}), f32({1024, 1}), none}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(solve) = {
    .name = "MatrixSolve",
    .doc = "x with matrix · x = rhs, or with the adjoint of the matrix.",
    .inputs = {in("matrix", linalg::kTypes), in("rhs", linalg::kTypes)},
    .attrs = {bool_attr("adjoint", false)},
    .infer = infer_solve,
    .cpu = cpu_solve,
    .grad = grad_solve,
    .saves = {.inputs = 0b01, .outputs = kAll},
    .samples = samples_solve,
};

PEN_OP_DEF(inv) = {
    .name = "MatrixInverse",
    .doc = "The inverse of each matrix, or of its adjoint.",
    .inputs = {in("input", linalg::kTypes)},
    .attrs = {bool_attr("adjoint", false)},
    .infer = infer_inverse,
    .cpu = cpu_inverse,
    .grad = grad_inverse,
    .saves = {.outputs = kAll},
    .samples = samples_inverse,
};

PEN_OP_DEF(lstsq) = {
    .name = "MatrixSolveLs",
    .doc =
        "x with the least |matrix · x - rhs|² + l2_regularizer |x|²; not `fast`: the shortest x.",
    .inputs = {in("matrix", linalg::kTypes), in("rhs", linalg::kTypes),
               in("l2_regularizer", DType::kFloat64, 'L')},
    .attrs = {bool_attr("fast", true)},
    .infer = infer_lstsq,
    .compose = compose_lstsq,
    .grad = composed_gradient,
    .samples = samples_lstsq,
    .graph_name = {"matrix_solve_ls", "cholesky_solve/MatrixTriangularSolve_1"},
};

}  // namespace penstock
