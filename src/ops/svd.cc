// Svd: singular values and vectors; the pseudo-inverse and the rank that follow from them.
#include <limits>

#include <penstock/ops/compose.h>

#include "kernels/decompose.h"
#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Matrices;
using linalg::product;
using linalg::regular;

void infer(InferContext& ctx) {
  const bool vectors = ctx.attr(0).as_bool(), full = ctx.attr(1).as_bool();
  const DType dtype = ctx.dtype(0);
  const bool known = ctx.shape(0).is_known();
  Shape s = Shape::unknown_rank(), u = s, v = s;
  if (known) {
    const Matrices m = linalg::matrices(ctx, 0);
    const int64_t k = std::min(m.rows, m.cols);
    linalg::require_lapack(ctx, m);
    s = linalg::batch_shape(ctx.shape(0));
    u = linalg::with_matrix(s, m.rows, full ? m.rows : k);
    v = linalg::with_matrix(s, m.cols, full ? m.cols : k);
    s.append(k);
    if (m.size() > 0) ctx.set_scratch(kernels::svd_scratch(dtype, m, vectors, full));
  }
  ctx.add_output(linalg::real_dtype(dtype), s);
  ctx.add_output(dtype, vectors ? u : Shape{0});
  ctx.add_output(dtype, vectors ? v : Shape{0});
}

KernelResult cpu(const KernelContext& ctx) {
  const View &s = ctx.outputs[0], &u = ctx.outputs[1], &v = ctx.outputs[2];
  if (s.size() == 0 && u.size() == 0 && v.size() == 0) return KernelResult::ok();
  kernels::svd(ctx.inputs[0], s, u, v, ctx.attrs[0].as_bool(), ctx.attrs[1].as_bool(), ctx.scratch);
  return KernelResult::ok();
}

Tensor skew(const Tensor& x) { return x - linalg::adjointed(x); }

// 1 / (s_k² - s_j²), and 0 on the diagonal.
Tensor gaps(const Tensor& s, DType dtype) {
  const Tensor squares = square(s);
  const Tensor gap = expand_dims(squares, -2) - expand_dims(squares, -1);
  const Tensor safe = linalg::with_main_diagonal(gap, ones_like(s));
  return linalg::as_dtype(linalg::with_main_diagonal(reciprocal(safe), zeros_like(s)), dtype);
}

// For the thin form a = u diag(s) vᴴ. The phases of complex vectors are arbitrary: what depends on
// them has no gradient.
Tensor grad_of_vectors(const Tensor& s_real, const Tensor& u, const Tensor& v, const Tensor& ds,
                       const Tensor& du, const Tensor& dv) {
  const Tensor s = linalg::as_dtype(s_real, u.dtype());
  const Tensor row = expand_dims(s, -2), column = expand_dims(s, -1), gap = gaps(s_real, u.dtype());
  const Tensor udu = skew(product(u, du, true)), vdv = skew(product(v, dv, true));
  Tensor inner = udu * gap * row + column * (vdv * gap) + linalg::diagonal_matrix(ds);
  if (kComplexTypes.has(u.dtype()))
    inner = inner + linalg::diagonal_matrix(linalg::main_diagonal(udu) / (s * 2));
  Tensor left = product(u, inner);
  if (u.dim(-2) > u.dim(-1)) {
    const Tensor share = du / row;
    left = left + share - product(u, product(u, share, true));
  }
  Tensor da = product(left, v, false, true);
  if (v.dim(-2) > v.dim(-1)) {
    const Tensor share = dv / row;
    da = da + product(u, share - product(v, product(v, share, true)), false, true);
  }
  return da;
}

Gradients grad(const GradContext& g) {
  const Tensor& a = g.input(0);
  const Tensor ds = linalg::as_dtype(g.dy(0), a.dtype());
  if (!g.attr(0).as_bool()) {
    const auto [s, u, v] = svd(a);
    return {product(u * expand_dims(ds, -2), v, false, true)};
  }
  if (g.attr(1).as_bool() && a.dim(-1) != a.dim(-2))
    throw UnimplementedError("[Svd] no gradient of full matrices that are not square");
  return {grad_of_vectors(g.output(0), g.output(1), g.output(2), ds, g.dy(1), g.dy(2))};
}

double epsilon(DType dtype) {
  return linalg::real_dtype(dtype) == DType::kFloat32 ? std::numeric_limits<float>::epsilon()
                                                      : std::numeric_limits<double>::epsilon();
}

// The singular values that count: above `share` of the largest.
Tensor counted(const Tensor& s, double share) {
  return greater(s, reduce_max(s, {-1}, true) * share);
}

Tensors compose_pinv(const ComposeContext& ctx) {
  const Matrices m = linalg::matrices(ctx, 0);
  const Tensor& a = ctx.tensor(0);
  const double given = ctx.attr(0).as_float();
  const double cutoff =
      given >= 0 ? given
                 : 10.0 * static_cast<double>(std::max(m.rows, m.cols)) * epsilon(a.dtype());
  const auto [s, u, v] = svd(a);
  const Tensor counts = counted(s, cutoff);
  const Tensor inverse = select(counts, reciprocal(select(counts, s, ones_like(s))), zeros_like(s));
  return {product(v * expand_dims(linalg::as_dtype(inverse, a.dtype()), -2), u, false, true)};
}

Tensors compose_rank(const ComposeContext& ctx) {
  const Matrices m = linalg::matrices(ctx, 0);
  const double given = ctx.attr(0).as_float();
  const double share = static_cast<double>(std::max(m.rows, m.cols)) * epsilon(ctx.dtype(0));
  const Tensor s = svd(ctx.tensor(0), false)[0];
  const Tensor counts = given >= 0 ? greater(s, scalar_like(s, given)) : counted(s, share);
  return {reduce_sum(cast(counts, DType::kInt32), {-1})};
}

std::vector<Sample> samples() {
  using enum DType;
  return {
      {{regular(kFloat32, {4, 3})}},
      {{regular(kFloat64, {2, 3, 3})}},
      {{regular(kFloat64, {3, 4})}},
      {{regular(kFloat64, {4, 3})}, {{"full_matrices", true}}, 0, false},
      {{regular(kFloat64, {3, 3})}, {{"full_matrices", true}}},
      {{regular(kFloat64, {2, 4, 2})}, {{"compute_uv", false}}},
      {{regular(kComplex64, {3, 3})}, {}, 0, false},
      {{regular(kComplex128, {2, 4, 3})}, {}, 0, false},
      {{regular(kComplex128, {2, 3})}, {{"compute_uv", false}}},
      {{regular(kFloat32, {0, 3})}},
      {{regular(kFloat32, {2, 3, 0})}, {{"full_matrices", true}}, 0, false},
      {{regular(kFloat32, {0, 3, 3})}},
      {.inputs = {regular(kFloat32, {256, 128})}, .for_speed = true},
  };
}

std::vector<Sample> pinv_samples() {
  using enum DType;
  return {
      {{regular(kFloat32, {4, 3})}, {}, 1e-4},
      {{regular(kFloat64, {2, 3, 3})}},
      {{regular(kFloat64, {2, 4})}},
      {{regular(kFloat64, {3, 3})}, {{"rcond", 0.9}}, 0, false},
      {{regular(kComplex64, {3, 3})}, {}, 1e-4},
      {{regular(kComplex128, {4, 2})}},
      {{regular(kFloat32, {0, 3})}},
      {.inputs = {regular(kFloat32, {128, 64})}, .for_speed = true},
  };
}

std::vector<Sample> rank_samples() {
  using enum DType;
  return {
      {{regular(kFloat32, {4, 3})}},
      {{given(kFloat64, {2, 2, 2}, {1, 2, 2, 4, 1, 0, 0, 1})}},
      {{given(kFloat64, {3, 3}, {1, 0, 0, 0, 0.01, 0, 0, 0, 0})}, {{"tol", 0.1}}},
      {{regular(kComplex64, {2, 3})}},
      {{regular(kFloat32, {2, 0, 3})}},
  };
}

}  // namespace

PEN_OP_DEF(svd) = {
    .name = "Svd",
    .doc = "Singular values s, falling, and vectors with input = u · diag(s) · vᴴ.",
    .inputs = {in("input", linalg::kTypes)},
    .attrs = {bool_attr("compute_uv", true), bool_attr("full_matrices", false)},
    .outputs = {"s", "u", "v"},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b1, .outputs = 0b111},
    .samples = samples,
};

PEN_OP_DEF(pinv) = {
    .name = "Pinv",
    .doc = "The pseudo-inverse; singular values below `rcond` of the largest count as zero.",
    .inputs = {in("a", linalg::kTypes)},
    .attrs = {float_attr("rcond", -1.0)},
    .infer = composed,
    .compose = compose_pinv,
    .grad = composed_gradient,
    .samples = pinv_samples,
    .graph_name = {"pinv", "MatMul"},
};

PEN_OP_DEF(matrix_rank) = {
    .name = "MatrixRank",
    .doc = "How many singular values are above `tol`, or above rounding errors where it is -1.",
    .inputs = {in("a", linalg::kTypes)},
    .attrs = {float_attr("tol", -1.0)},
    .infer = composed,
    .compose = compose_rank,
    .grad = no_gradient,
    .samples = rank_samples,
    .graph_name = {"matrix_rank", "Sum"},
};

}  // namespace penstock
