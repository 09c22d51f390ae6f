// Small functions of matrices, composed: their trace, transposes and products with vectors;
// identity matrices; diagonals of tensors; TensorDot and the cross product.
#include <algorithm>

#include <penstock/ops/compose.h>

#include "ops/linalg.h"

namespace penstock {
namespace {

Tensors compose_trace(const ComposeContext& ctx) {
  linalg::matrices(ctx, 0);
  return {reduce_sum(linalg::main_diagonal(ctx.tensor(0)), {-1})};
}

Tensors compose_matrix_transpose(const ComposeContext& ctx) {
  linalg::matrices(ctx, 0);
  const Tensor& a = ctx.tensor(0);
  return {ctx.attr(0).as_bool() ? linalg::adjointed(a) : linalg::transposed(a)};
}

Tensors compose_adjoint(const ComposeContext& ctx) {
  linalg::matrices(ctx, 0);
  return {linalg::adjointed(ctx.tensor(0))};
}

Tensors compose_matvec(const ComposeContext& ctx) {
  linalg::matrices(ctx, 0);
  if (ctx.shape(1).rank() < 1) ctx.fail("b must be a vector at least, but its shape is []");
  const Tensor column = expand_dims(ctx.tensor(1), -1);
  return {squeeze(
      matmul(ctx.tensor(0), column, ctx.attr(0).as_bool(), false, ctx.attr(1).as_bool(), false),
      {-1})};
}

Tensors compose_eye(const ComposeContext& ctx) {
  const int64_t rows = ctx.attr(0).as_int();
  const int64_t cols = ctx.attr(1).as_int() == -1 ? rows : ctx.attr(1).as_int();
  const DType dtype = ctx.attr(3).as_dtype();
  if (rows < 0 || cols < 0) ctx.fail("sizes must not be negative, but are ", rows, " and ", cols);
  if (dtype == DType::kString) ctx.fail_type("there are no identity matrices of strings");
  Shape shape;
  for (int64_t size : ctx.attr(2).as_ints()) {
    if (size < 0) ctx.fail("batch_shape must not be negative, but is ", ctx.attr(2));
    shape.append(size);
  }
  shape.append(std::min(rows, cols));
  return {diag(ones(dtype, shape), linalg::scalar_int(0), linalg::scalar_int(rows),
               linalg::scalar_int(cols), Tensor::scalar(dtype, 0))};
}

Tensors compose_tensor_diag(const ComposeContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (shape.rank() < 1) ctx.fail("Input must be at least rank 1, got 0");
  Shape doubled = shape;
  for (int64_t size : shape) doubled.append(size);
  const Tensor flat = reshape(ctx.tensor(0), int_tensor(Shape{-1}.dims()));
  if (shape.num_elements() == 0) return {zeros(ctx.dtype(0), doubled)};
  return {reshape(linalg::diagonal_matrix(flat), shape_tensor(doubled))};
}

Tensors compose_tensor_diag_part(const ComposeContext& ctx) {
  const Shape& shape = ctx.shape(0);
  const int half = shape.rank() / 2;
  if (shape.rank() == 0 || shape.rank() % 2 != 0)
    ctx.fail("The rank of the tensor should be even and positive, got shape ", shape);
  Shape part;
  for (int i = 0; i < half; ++i) {
    if (shape[i] != shape[i + half])
      ctx.fail("Invalid shape ", shape, ": dimensions ", i, " and ", i + half, " do not match.");
    part.append(shape[i]);
  }
  const int64_t size = part.num_elements();
  const Tensor matrix = reshape(ctx.tensor(0), shape_tensor(Shape{size, size}));
  return {reshape(linalg::main_diagonal(matrix), shape_tensor(part))};
}

// tensordot

struct Side {
  IntVector kept, summed;
};

Side side(const InferContext& ctx, size_t input, const Attr& axes) {
  const int rank = ctx.shape(input).rank();
  Side found;
  uint32_t seen = 0;
  for (int64_t axis : axes.as_ints()) {
    if (axis < -rank || axis >= rank)
      ctx.fail("axis ", axis, " is out of range for ", ctx.shape(input));
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (((seen >> at) & 1) != 0) ctx.fail("axis ", axis, " is given twice in ", axes);
    seen |= 1u << at;
    found.summed.push_back(at);
  }
  for (int i = 0; i < rank; ++i) {
    if (((seen >> i) & 1) == 0) found.kept.push_back(i);
  }
  return found;
}

Shape picked(const Shape& shape, const IntVector& axes) {
  Shape sizes;
  for (int64_t axis : axes) sizes.append(shape[static_cast<int>(axis)]);
  return sizes;
}

Tensor as_matrix(const Tensor& x, const IntVector& rows, const IntVector& cols) {
  IntVector perm = rows;
  for (int64_t axis : cols) perm.push_back(axis);
  const Shape flat{picked(x.shape(), rows).num_elements(), picked(x.shape(), cols).num_elements()};
  return reshape(transpose(x, std::span<const int64_t>(perm)), shape_tensor(flat));
}

void infer_tensordot(InferContext& ctx) {
  if (!ctx.shape(0).has_rank() || !ctx.shape(1).has_rank())
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  Shape shape = picked(ctx.shape(0), side(ctx, 0, ctx.attr(0)).kept);
  for (int64_t size : picked(ctx.shape(1), side(ctx, 1, ctx.attr(1)).kept)) shape.append(size);
  ctx.add_output(ctx.dtype(0), shape);
}

Tensors compose_tensordot(const ComposeContext& ctx) {
  const Side a = side(ctx, 0, ctx.attr(0)), b = side(ctx, 1, ctx.attr(1));
  if (!(picked(ctx.shape(0), a.summed) == picked(ctx.shape(1), b.summed))) {
    ctx.fail("the summed axes have different sizes: ", ctx.shape(0), " at ", ctx.attr(0), " and ",
             ctx.shape(1), " at ", ctx.attr(1));
  }
  Shape shape = picked(ctx.shape(0), a.kept);
  for (int64_t size : picked(ctx.shape(1), b.kept)) shape.append(size);
  const Tensor result = matmul(as_matrix(ctx.tensor(0), a.kept, a.summed),
                               as_matrix(ctx.tensor(1), b.summed, b.kept));
  return {reshape(result, shape_tensor(shape))};
}

Tensors compose_cross(const ComposeContext& ctx) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  if (!(a == b)) ctx.fail("Both inputs must be of same shape: ", a, " vs. ", b);
  if (a.rank() < 1 || a[a.rank() - 1] != 3)
    ctx.fail("Cross-products are only defined for 3-element vectors, but got ", a);
  const auto turned = [&](size_t i, std::initializer_list<int64_t> order) {
    return gather(ctx.tensor(i), int_tensor({order.begin(), order.size()}), -1);
  };
  return {turned(0, {1, 2, 0}) * turned(1, {2, 0, 1}) -
          turned(0, {2, 0, 1}) * turned(1, {1, 2, 0})};
}

std::vector<Sample> matrix_samples() {
  using enum DType;
  return {
      {{f32({3, 4})}},
      {{f32({2, 4, 3})}},
      {{f32({2, 3, 2, 2})}},
      {{f32({0, 3})}},
      {{of(kFloat64, {2, 2})}},
      {{of(kComplex64, {3, 2})}},
      {{of(kInt32, {3, 3})}},
      {{of(kFloat16, {3, 3})}},
      {{of(kComplex128, {2, 3, 3})}},
      {.inputs = {f32({1024, 1024})}, .for_speed = true},
  };
}

std::vector<Sample> samples_transpose() {
  std::vector<Sample> samples = matrix_samples();
  samples.push_back({{of(DType::kComplex128, {2, 3})}, {{"conjugate", true}}});
  samples.push_back({{f32({2, 3})}, {{"conjugate", true}}});
  return samples;
}

std::vector<Sample> samples_matvec() {
  using enum DType;
  return {
      {{f32({3, 4}), f32({4})}},
      {{f32({2, 3, 4}), f32({2, 3})}, {{"transpose_a", true}}},
      {{f32({2, 1, 3, 4}), f32({5, 4})}},
      {{f32({3, 0}), f32({0})}},
      {{of(kComplex128, {3, 2}), of(kComplex128, {3})}, {{"adjoint_a", true}}},
      {{of(kInt32, {3, 2}), of(kInt32, {2})}},
      {{of(kBFloat16, {3, 2}), of(kBFloat16, {2})}},
      {.inputs = {f32({1024, 1024}), f32({1024})}, .for_speed = true},
  };
}

std::vector<Sample> samples_eye() {
  return {
      {{}, {{"num_rows", 3}}},
      {{}, {{"num_rows", 2}, {"num_columns", 4}, {"dtype", DType::kInt32}}},
      {{}, {{"num_rows", 3}, {"num_columns", 1}, {"batch_shape", {2, 2}}}},
      {{}, {{"num_rows", 0}, {"dtype", DType::kBool}}},
      {{}, {{"num_rows", 2}, {"dtype", DType::kComplex64}}},
  };
}

std::vector<Sample> samples_tensor_diag() {
  using enum DType;
  return {{{f32({3})}},        {{f32({2, 3})}},         {{f32({2, 1, 2})}},
          {{f32({0})}},        {{f32({2, 0})}},         {{of(kFloat64, {2})}},
          {{of(kInt64, {2})}}, {{of(kComplex64, {2})}}, {{of(kFloat16, {2})}}};
}

std::vector<Sample> samples_tensor_diag_part() {
  using enum DType;
  return {{{f32({3, 3})}},          {{f32({2, 3, 2, 3})}},  {{f32({0, 0})}},
          {{of(kFloat64, {2, 2})}}, {{of(kInt64, {2, 2})}}, {{of(kComplex64, {2, 2})}},
          {{of(kFloat16, {2, 2})}}};
}

std::vector<Sample> samples_tensordot() {
  using enum DType;
  return {
      {{f32({2, 3}), f32({3, 4})}, {{"axes_a", {1}}, {"axes_b", {0}}}},
      {{f32({2, 3, 4}), f32({4, 3, 5})}, {{"axes_a", {1, 2}}, {"axes_b", {1, 0}}}},
      {{f32({2, 3}), f32({2, 3})}, {{"axes_a", {0, 1}}, {"axes_b", {0, 1}}}},
      {{f32({2}), f32({3})},
       {{"axes_a", std::vector<int64_t>{}}, {"axes_b", std::vector<int64_t>{}}}},
      {{f32({2, 0}), f32({0, 3})}, {{"axes_a", {-1}}, {"axes_b", {-2}}}},
      {{of(kFloat64, {3, 2}), of(kFloat64, {3})}, {{"axes_a", {0}}, {"axes_b", {0}}}},
      {{of(kInt32, {3, 2}), of(kInt32, {3})}, {{"axes_a", {0}}, {"axes_b", {0}}}},
      {{of(kComplex64, {3, 2}), of(kComplex64, {3})}, {{"axes_a", {0}}, {"axes_b", {0}}}},
      {.inputs = {f32({16, 64, 64}), f32({64, 64, 16})},
       .attrs = {{"axes_a", {1, 2}}, {"axes_b", {0, 1}}},
       .for_speed = true},
  };
}

std::vector<Sample> samples_cross() {
  using enum DType;
  return {
      {{f32({3}), f32({3})}},
      {{f32({2, 4, 3}), f32({2, 4, 3})}},
      {{f32({0, 3}), f32({0, 3})}},
      {{of(kFloat64, {2, 3}), of(kFloat64, {2, 3})}},
      {{of(kInt32, {2, 3}), of(kInt32, {2, 3})}},
      {{of(kFloat16, {2, 3}), of(kFloat16, {2, 3})}},
      {.inputs = {f32({100000, 3}), f32({100000, 3})}, .for_speed = true},
  };
}

// The product is the result where it has its shape: each side has one free axis, of known sizes.
LateName late_tensordot(const GraphCall& call) {
  const std::span<const int64_t> axes[] = {call.attr("axes_a").as_ints(),
                                           call.attr("axes_b").as_ints()};
  bool is_product = true;
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = call.inputs[i]->shape();
    is_product =
        is_product && shape.is_known() && static_cast<size_t>(shape.rank()) == axes[i].size() + 1;
  }
  return {is_product ? "MatMul" : ""};
}

}  // namespace

PEN_OP_DEF(trace) = {
    .name = "Trace",
    .doc = "The sum of the main diagonal of each matrix.",
    .inputs = {in("x", kNumberTypes)},
    .infer = composed,
    .compose = compose_trace,
    .grad = composed_gradient,
    .samples = matrix_samples,
};

PEN_OP_DEF(matrix_transpose) = {
    .name = "MatrixTranspose",
    .doc = "Each matrix with rows and columns swapped, and conjugated where asked for.",
    .inputs = {in("a", kNumberTypes | DType::kBool)},
    .attrs = {bool_attr("conjugate", false)},
    .infer = composed,
    .compose = compose_matrix_transpose,
    .grad = composed_gradient,
    .samples = samples_transpose,
    .graph_name = {"matrix_transpose", "transpose"},
};

PEN_OP_DEF(adjoint) = {
    .name = "Adjoint",
    .doc = "The conjugate transpose of each matrix.",
    .inputs = {in("matrix", kNumberTypes)},
    .infer = composed,
    .compose = compose_adjoint,
    .grad = composed_gradient,
    .samples = matrix_samples,
    .graph_name = {"adjoint", "matrix_transpose/transpose"},
};

PEN_OP_DEF(matvec) = {
    .name = "Matvec",
    .doc = "a · b for matrices a and vectors b; the other dimensions broadcast.",
    .inputs = {in("a", kNumberTypes), in("b", kNumberTypes)},
    .attrs = {bool_attr("transpose_a", false), bool_attr("adjoint_a", false)},
    .infer = composed,
    .compose = compose_matvec,
    .grad = composed_gradient,
    .samples = samples_matvec,
    .graph_name = {"MatVec", "Squeeze"},
};

PEN_OP_DEF(eye) = {
    .name = "Eye",
    .doc = "Identity matrices; as many columns as rows where `num_columns` is -1.",
    .attrs = {int_attr("num_rows"), int_attr("num_columns", -1), ints_attr("batch_shape", kNoInts),
              dtype_attr("dtype", DType::kFloat32)},
    .infer = composed,
    .compose = compose_eye,
    .grad = no_gradient,
    .samples = samples_eye,
    .graph_name = {"eye", "diag"},
};

PEN_OP_DEF(tensor_diag) = {
    .name = "Diag",
    .doc = "A tensor of twice the rank with `diagonal` on its diagonal.",
    .inputs = {in("diagonal", kNumberTypes)},
    .infer = composed,
    .compose = compose_tensor_diag,
    .grad = composed_gradient,
    .samples = samples_tensor_diag,
};

PEN_OP_DEF(tensor_diag_part) = {
    .name = "DiagPart",
    .doc = "The diagonal of a tensor whose dimensions repeat once.",
    .inputs = {in("input", kNumberTypes)},
    .outputs = {"diagonal"},
    .infer = composed,
    .compose = compose_tensor_diag_part,
    .grad = composed_gradient,
    .samples = samples_tensor_diag_part,
};

PEN_OP_DEF(tensordot) = {
    .name = "Tensordot",
    .doc = "The sum of products over `axes_a` of a and `axes_b` of b.",
    .inputs = {in("a", kNumberTypes), in("b", kNumberTypes)},
    .attrs = {ints_attr("axes_a"), ints_attr("axes_b")},
    .infer = infer_tensordot,
    .compose = compose_tensordot,
    .grad = composed_gradient,
    .samples = samples_tensordot,
    .graph_name = {.late = late_tensordot},
};

PEN_OP_DEF(cross) = {
    .name = "Cross",
    .doc = "The cross products of vectors of three elements.",
    .inputs = {in("a", kRealTypes), in("b", kRealTypes)},
    .outputs = {"product"},
    .infer = composed,
    .compose = compose_cross,
    .grad = composed_gradient,
    .samples = samples_cross,
};

}  // namespace penstock
