// SelfAdjointEigV2 and Eig: eigenvalues and eigenvectors.
#include <penstock/ops/compose.h>

#include "kernels/decompose.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;
using linalg::positive;
using linalg::product;
using linalg::regular;

DType complex_dtype(DType dtype) {
  return linalg::real_dtype(dtype) == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
}

// The outputs e, of dtype `values`, and v, of dtype `vectors`.
void infer_pair(InferContext& ctx, bool wants_vectors, DType values, DType vectors) {
  const Shape& shape = ctx.shape(0);
  Shape e = Shape::unknown_rank();
  if (shape.is_known()) {
    linalg::require_lapack(ctx, linalg::square_matrices(ctx, 0));
    e = shape;
    e.remove(e.rank() - 1);
  }
  ctx.add_output(values, e);
  ctx.add_output(vectors, wants_vectors ? shape : Shape{0});
}

void infer_eigh(InferContext& ctx) {
  const bool vectors = ctx.attr(0).as_bool();
  const DType dtype = ctx.dtype(0);
  infer_pair(ctx, vectors, linalg::real_dtype(dtype), dtype);
  if (ctx.shape(0).is_known() && ctx.shape(0).num_elements() > 0)
    ctx.set_scratch(kernels::eigh_scratch(dtype, linalg::matrices(ctx, 0), vectors));
}

KernelResult cpu_eigh(const KernelContext& ctx) {
  if (ctx.inputs[0].size() == 0) return KernelResult::ok();
  const int64_t failed = kernels::eigh(ctx.inputs[0], ctx.outputs[0], ctx.outputs[1],
                                       ctx.attrs[0].as_bool(), ctx.scratch);
  if (failed < 0) return KernelResult::ok();
  return KernelResult::invalid(
      "Self-adjoint eigen decomposition was not successful. The input might not be valid.");
}

// 1 / (e_k - e_j) without a pole where two of them are equal; 0 on the diagonal.
Tensor gaps(const Tensor& e) {
  const Tensor gap = expand_dims(e, -2) - expand_dims(e, -1);
  const Tensor safe = gap / (gap * gap + scalar_like(gap, 1e-20));
  return linalg::with_main_diagonal(safe, zeros_like(e));
}

// The op reads only the lower triangle, so the gradient goes there.
Tensor into_lower(const Tensor& da) {
  const Tensor both = linalg::lower_part(da + linalg::adjointed(da));
  return linalg::with_main_diagonal(both, linalg::main_diagonal(both) * 0.5);
}

Gradients grad_eigh(const GradContext& g) {
  const Tensor& a = g.input(0);
  const Tensor de = linalg::diagonal_matrix(linalg::as_dtype(g.dy(0), a.dtype()));
  if (!g.attr(0).as_bool()) {
    const Tensor v = eigh(a)[1];
    return {into_lower(product(product(v, de), v, false, true))};
  }
  const Tensor& v = g.output(1);
  const Tensor gap = linalg::as_dtype(gaps(g.output(0)), a.dtype());
  const Tensor inner = de + gap * product(v, g.dy(1), true);
  return {into_lower(product(product(v, inner), v, false, true))};
}

void infer_eig(InferContext& ctx) {
  const bool vectors = ctx.attr(0).as_bool();
  const DType dtype = complex_dtype(ctx.dtype(0));
  infer_pair(ctx, vectors, dtype, dtype);
  if (ctx.shape(0).is_known() && ctx.shape(0).num_elements() > 0)
    ctx.set_scratch(kernels::eig_scratch(ctx.dtype(0), linalg::matrices(ctx, 0), vectors));
}

KernelResult cpu_eig(const KernelContext& ctx) {
  if (ctx.inputs[0].size() == 0) return KernelResult::ok();
  const int64_t failed = kernels::eig(ctx.inputs[0], ctx.outputs[0], ctx.outputs[1],
                                      ctx.attrs[0].as_bool(), ctx.scratch);
  if (failed < 0) return KernelResult::ok();
  return KernelResult::invalid(
      "Eigen decomposition was not successful. The input might not be valid.");
}

// v⁻ᴴ x vᴴ, as the input's dtype.
Tensor around(const Tensor& v, const Tensor& x, DType dtype) {
  return linalg::as_dtype(solve(v, product(x, v, false, true), true), dtype);
}

Gradients grad_eig(const GradContext& g) {
  const Tensor& a = g.input(0);
  const Tensor de = linalg::diagonal_matrix(g.dy(0));
  if (!g.attr(0).as_bool()) return {around(eig(a)[1], de, a.dtype())};
  // The vectors have length one: components that would change it are removed.
  const Tensor& v = g.output(1);
  const Tensor vdv = product(v, g.dy(1), true);
  const Tensor on = linalg::main_diagonal(vdv);
  const Tensor lengths = linalg::diagonal_matrix((on + conj(on)) * 0.5);
  const Tensor inner = vdv - product(product(v, v, true), lengths);
  return {around(v, de + conj(gaps(g.output(0))) * inner, a.dtype())};
}

Tensors compose_eigvalsh(const ComposeContext& ctx) { return {eigh(ctx.tensor(0), false)[0]}; }
Tensors compose_eigvals(const ComposeContext& ctx) { return {eig(ctx.tensor(0), false)[0]}; }

std::vector<Sample> samples_eigh() {
  using enum DType;
  return {
      {{positive(kFloat32, {3, 3})}},
      {{positive(kFloat64, {2, 4, 4})}},
      {{positive(kFloat64, {3, 3})}, {{"compute_v", false}}},
      {{positive(kComplex64, {3, 3})}, {}, 0, false},
      {{positive(kComplex128, {2, 3, 3})}, {}, 0, false},
      {{positive(kComplex128, {3, 3})}, {{"compute_v", false}}},
      {{positive(kFloat32, {0, 0})}},
      {{positive(kFloat32, {0, 2, 2})}},
      {.inputs = {positive(kFloat32, {256, 256})}, .for_speed = true},
  };
}

std::vector<Sample> samples_eigvalsh() { return linalg::square_samples(positive); }

// A vector's phase is arbitrary, so finite differences cannot check it.
std::vector<Sample> samples_eig() {
  using enum DType;
  return {
      {{regular(kFloat32, {3, 3})}, {}, 0, false},
      {{regular(kFloat64, {2, 4, 4})}, {}, 0, false},
      {{regular(kFloat64, {3, 3})}, {{"compute_v", false}}},
      {{regular(kComplex64, {3, 3})}, {}, 0, false},
      {{regular(kComplex128, {2, 3, 3})}, {{"compute_v", false}}},
      {{regular(kFloat32, {0, 0})}},
      {.inputs = {regular(kFloat32, {128, 128})}, .for_speed = true},
  };
}

std::vector<Sample> samples_eigvals() { return linalg::square_samples(); }

}  // namespace

PEN_OP_DEF(eigh) = {
    .name = "SelfAdjointEigV2",
    .doc = "Eigenvalues e, rising, and eigenvectors (columns of v) of Hermitian matrices.",
    .inputs = {in("input", linalg::kTypes)},
    .attrs = {bool_attr("compute_v", true)},
    .outputs = {"e", "v"},
    .infer = infer_eigh,
    .cpu = cpu_eigh,
    .grad = grad_eigh,
    .saves = {.inputs = 0b1, .outputs = 0b11},
    .samples = samples_eigh,
};

PEN_OP_DEF(eig) = {
    .name = "Eig",
    .doc = "Complex eigenvalues e and eigenvectors (columns of v, of length one) of any matrices.",
    .inputs = {in("input", linalg::kTypes)},
    .attrs = {bool_attr("compute_v", true)},
    .outputs = {"e", "v"},
    .infer = infer_eig,
    .cpu = cpu_eig,
    .grad = grad_eig,
    .saves = {.inputs = 0b1, .outputs = 0b11},
    .samples = samples_eig,
};

PEN_OP_DEF(eigvalsh) = {
    .name = "Eigvalsh",
    .doc = "The eigenvalues of Hermitian matrices, rising.",
    .inputs = {in("tensor", linalg::kTypes)},
    .infer = composed,
    .compose = compose_eigvalsh,
    .grad = composed_gradient,
    .samples = samples_eigvalsh,
    .graph_name = {"SelfAdjointEigV2"},
};

PEN_OP_DEF(eigvals) = {
    .name = "Eigvals",
    .doc = "The complex eigenvalues of any matrices.",
    .inputs = {in("tensor", linalg::kTypes)},
    .infer = composed,
    .compose = compose_eigvals,
    .grad = composed_gradient,
    .samples = samples_eigvals,
    .graph_name = {"Eig"},
};

}  // namespace penstock
