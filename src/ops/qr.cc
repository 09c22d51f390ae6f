// Qr: orthonormal columns times an upper triangle.
#include "kernels/decompose.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;
using linalg::product;
using linalg::regular;

void infer(InferContext& ctx) {
  const bool full = ctx.attr(0).as_bool();
  if (!ctx.shape(0).is_known()) {
    for (int i = 0; i < 2; ++i) ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
    return;
  }
  const Matrices m = linalg::matrices(ctx, 0);
  const Shape batch = linalg::batch_shape(ctx.shape(0));
  const int64_t inner = full ? m.rows : std::min(m.rows, m.cols);
  linalg::require_lapack(ctx, m);
  ctx.add_output(ctx.dtype(0), linalg::with_matrix(batch, m.rows, inner));
  ctx.add_output(ctx.dtype(0), linalg::with_matrix(batch, inner, m.cols));
  if (m.size() > 0) ctx.set_scratch(kernels::qr_scratch(ctx.dtype(0), m, full));
}

KernelResult cpu(const KernelContext& ctx) {
  const View &q = ctx.outputs[0], &r = ctx.outputs[1];
  if (q.size() > 0 || r.size() > 0)
    kernels::qr(ctx.inputs[0], q, r, ctx.attrs[0].as_bool(), ctx.scratch);
  return KernelResult::ok();
}

// x · r⁻ᴴ
Tensor divided(const Tensor& x, const Tensor& r) {
  return linalg::adjointed(triangular_solve(r, linalg::adjointed(x), false));
}

Tensor skew(const Tensor& x) { return x - linalg::adjointed(x); }

// Roberts and Roberts, "QR and LQ decomposition matrix backpropagation algorithms" (2020), with
// the term that keeps the diagonal of a complex r real.
Tensor grad_of_tall(const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  const Tensor qdq = product(q, dq, true), rdr = product(r, dr, false, true);
  const Tensor triangle = linalg::lower_part(skew(qdq) + skew(rdr));
  Tensor da = product(q, dr + divided(triangle, r)) + divided(dq - product(q, qdq), r);
  if (kComplexTypes.has(q.dtype())) {
    const Tensor on = linalg::main_diagonal(rdr - linalg::adjointed(qdq));
    const Tensor turn = linalg::diagonal_matrix((conj(on) - on) * 0.5);
    da = da + product(q, divided(turn, r));
  }
  return da;
}

Gradients grad(const GradContext& g) {
  const Tensor &q = g.output(0), &r = g.output(1), &a = g.input(0);
  const int64_t rows = r.dim(-2), cols = r.dim(-1), height = a.dim(-2);
  if (rows > cols)
    throw UnimplementedError("[Qr] no gradient of full matrices with more rows than columns");
  const Tensor dq = g.dy(0), dr = g.dy(1);
  if (height >= cols) return {grad_of_tall(q, r, dq, dr)};
  // a = [x, y] and r = [u, v]: y = q v, and the rest is the square case.
  const int64_t wide = cols - height;
  const Tensor y = linalg::block(a, 0, height, height, wide);
  const Tensor u = linalg::block(r, 0, height, 0, height);
  const Tensor du = linalg::block(dr, 0, height, 0, height);
  const Tensor dv = linalg::block(dr, 0, height, height, wide);
  const Tensor dx = grad_of_tall(q, u, dq + product(y, dv, false, true), du);
  const Tensor parts[] = {dx, product(q, dv)};
  return {concat(parts, -1)};
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{regular(kFloat32, {4, 3})}},
      {{regular(kFloat64, {2, 3, 3})}},
      {{regular(kFloat64, {3, 5})}},
      {{regular(kFloat64, {4, 3})}, {{"full_matrices", true}}, 0, false},
      {{regular(kFloat64, {3, 4})}, {{"full_matrices", true}}},
      {{regular(kComplex64, {3, 3})}},
      {{regular(kComplex128, {4, 3})}},
      {{regular(kComplex128, {2, 3})}},
      {{regular(kFloat32, {0, 3})}},
      {{regular(kFloat32, {3, 0})}, {{"full_matrices", true}}, 0, false},
      {{regular(kFloat32, {0, 3, 3})}},
      {.inputs = {regular(kFloat32, {512, 256})}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(qr) = {
    .name = "Qr",
    .doc = "Orthonormal columns q and an upper triangular r with q · r = input.",
    .inputs = {in("input", linalg::kTypes)},
    .attrs = {bool_attr("full_matrices", false)},
    .outputs = {"q", "r"},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b1, .outputs = 0b11},
    .samples = samples,
};

}  // namespace penstock
