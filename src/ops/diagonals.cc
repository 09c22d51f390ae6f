// Diagonals of matrices: MatrixDiagV3 puts them in, MatrixDiagPartV3 takes them out,
// MatrixSetDiagV3 replaces them; MatrixBandPart keeps the band around the main one.
#include "kernels/diagonals.h"

#include "ops/linalg.h"

namespace penstock {
namespace {

using kernels::Diagonals;
using kernels::Matrices;

constexpr std::string_view kAlignments[] = {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"};

// The diagonals that input `i` selects, and their alignment; their length is not known yet.
struct Wanted {
  Diagonals diagonals{0, 0, 0, false, false};
  bool is_known;
};
Wanted wanted(const InferContext& ctx, size_t i, const Attr& align) {
  Wanted found;
  const IntVector k = ctx.ints(i, &found.is_known);
  const std::string_view name = align.as_string();
  if (std::find(std::begin(kAlignments), std::end(kAlignments), name) == std::end(kAlignments))
    ctx.fail("align must be one of LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT and RIGHT_RIGHT, not ", name);
  found.diagonals.super_left = name.starts_with("LEFT");
  found.diagonals.sub_left = name.ends_with("LEFT");
  if (!found.is_known) return found;
  if (k.size() != 1 && k.size() != 2)
    ctx.fail("diag_index must have one or two elements, but has ", k.size());
  found.diagonals.lower = k[0];
  found.diagonals.upper = k[k.size() - 1];
  if (k[0] > k[k.size() - 1]) {
    ctx.fail("lower_diag_index must not be larger than upper_diag_index: ", k[0], " > ",
             k[k.size() - 1]);
  }
  return found;
}

// The same in a kernel, where everything has been checked.
Diagonals wanted(const View& k, std::string_view align, int64_t length) {
  const auto at = [&](int64_t i) {
    return k.dtype == DType::kInt32 ? int64_t{k.as<int32_t>()[i]} : k.as<int64_t>()[i];
  };
  return {at(0), at(k.size() - 1), length, align.starts_with("LEFT"), align.ends_with("LEFT")};
}

void check_in_matrix(const InferContext& ctx, const Matrices& m, int64_t k, const char* which) {
  if ((k > -m.rows && k < m.cols) || k == 0) return;
  ctx.fail(which, "_diag_index is out of bound: ", k, ". It must be between ", -m.rows, " and ",
           m.cols);
}

// The length of the longest of the diagonals, which must lie in the matrices.
int64_t longest(const InferContext& ctx, const Matrices& m, const Diagonals& d) {
  check_in_matrix(ctx, m, d.lower, "lower");
  check_in_matrix(ctx, m, d.upper, "upper");
  return std::min(m.rows + std::min<int64_t>(d.upper, 0), m.cols - std::max<int64_t>(d.lower, 0));
}

void check_scalar(const InferContext& ctx, size_t i) {
  if (ctx.shape(i).is_known() && ctx.shape(i).rank() != 0)
    ctx.fail("padding_value must be a scalar, but its shape is ", ctx.shape(i));
}

Shape diagonals_shape(const Shape& batch, const Diagonals& d, int64_t length) {
  Shape shape = batch;
  if (d.count() > 1) shape.append(d.count());
  shape.append(length);
  return shape;
}

// diag

// A size from host input `i`: -1 means the smallest possible one.
int64_t size_or(const InferContext& ctx, size_t i, int64_t least, bool* known) {
  bool is_known = false;
  const IntVector value = ctx.ints(i, &is_known);
  *known = *known && is_known;
  if (!is_known) return -1;
  if (value.size() != 1) ctx.fail(ctx.op().inputs[i].name, " must be one number");
  return value[0] == -1 ? least : value[0];
}

void check_sizes(const InferContext& ctx, int64_t rows, int64_t cols, int64_t least_rows,
                 int64_t least_cols) {
  if (rows < least_rows) ctx.fail("The number of rows is too small: ", rows, " < ", least_rows);
  if (cols < least_cols) ctx.fail("The number of columns is too small: ", cols, " < ", least_cols);
  if (rows != least_rows && cols != least_cols) {
    ctx.fail(
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, ",
        "and diagonal: ", rows, " x ", cols, " for diagonals of shape ", ctx.shape(0));
  }
}

void infer_diag(InferContext& ctx) {
  const auto [d, is_known] = wanted(ctx, 1, ctx.attr(0));
  const Shape& shape = ctx.shape(0);
  check_scalar(ctx, 4);
  if (!is_known || !shape.is_known()) return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  constexpr int64_t kFar = int64_t{1} << 40;
  if (d.lower < -kFar || d.upper > kFar)
    ctx.fail("diagonals too far out: ", d.lower, ", ", d.upper);
  const bool many = d.count() > 1;
  if (shape.rank() < (many ? 2 : 1))
    ctx.fail("diagonal must be at least ", many ? 2 : 1, "-dim, received shape: ", shape);
  if (many && shape[shape.rank() - 2] != d.count()) {
    ctx.fail("The number of diagonals provided in the input does not match the lower_diag_index ",
             "and upper_diag_index range: ", shape, " for ", d.lower, " to ", d.upper);
  }
  const int64_t length = shape[shape.rank() - 1];
  const int64_t least_rows = length - std::min<int64_t>(d.upper, 0);
  const int64_t least_cols = length + std::max<int64_t>(d.lower, 0);
  bool sizes_known = true;
  int64_t rows = size_or(ctx, 2, kUnknownDim, &sizes_known);
  int64_t cols = size_or(ctx, 3, kUnknownDim, &sizes_known);
  Shape out = shape;
  for (int i = 0; i < (many ? 2 : 1); ++i) out.remove(out.rank() - 1);
  if (sizes_known) {
    if (rows == kUnknownDim && cols == kUnknownDim) rows = cols = std::max(least_rows, least_cols);
    if (rows == kUnknownDim) rows = least_rows;
    if (cols == kUnknownDim) cols = least_cols;
    check_sizes(ctx, rows, cols, least_rows, least_cols);
  }
  ctx.add_output(ctx.dtype(0), linalg::with_matrix(out, rows, cols));
}

KernelResult cpu_diag(const KernelContext& ctx) {
  const Shape& shape = ctx.inputs[0].shape;
  const Diagonals d = wanted(ctx.inputs[1], ctx.attrs[0].as_string(), shape[shape.rank() - 1]);
  kernels::diagonals_to_matrix(d, ctx.inputs[0], ctx.inputs[4].data, ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad_diag(const GradContext& g) {
  const Tensor dy = g.dy();
  const Tensor on = diag_part(dy, g.input(1), scalar_like(dy, 0), g.attr(0).as_string());
  Gradients gradients{{}, {}, {}, {}, {}};
  // More rows than the diagonals need are possible, longer diagonals are not.
  gradients[0] = on;
  if (g.needs(4)) gradients[4] = reduce_sum(dy) - reduce_sum(on);
  return gradients;
}

// diag_part

void infer_part(InferContext& ctx) {
  const auto [d, is_known] = wanted(ctx, 1, ctx.attr(0));
  check_scalar(ctx, 2);
  if (!is_known || !ctx.shape(0).is_known())
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  const Matrices m = linalg::matrices(ctx, 0);
  const int64_t length = longest(ctx, m, d);
  ctx.add_output(ctx.dtype(0), diagonals_shape(linalg::batch_shape(ctx.shape(0)), d, length));
}

KernelResult cpu_part(const KernelContext& ctx) {
  const Shape& shape = ctx.outputs[0].shape;
  const Diagonals d = wanted(ctx.inputs[1], ctx.attrs[0].as_string(), shape[shape.rank() - 1]);
  kernels::matrix_to_diagonals(d, ctx.inputs[0], ctx.inputs[2].data, ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad_part(const GradContext& g) {
  const Tensor dy = g.dy();
  const Tensor dx = set_diag(zeros_like(g.input(0)), dy, g.input(1), g.attr(0).as_string());
  Gradients gradients{dx, {}, {}};
  if (g.needs(2)) gradients[2] = reduce_sum(dy) - reduce_sum(dx);
  return gradients;
}

// set_diag

void infer_set(InferContext& ctx) {
  const auto [d, is_known] = wanted(ctx, 2, ctx.attr(0));
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
  if (!is_known || !ctx.shape(0).is_known() || !ctx.shape(1).is_known()) return;
  const Matrices m = linalg::matrices(ctx, 0);
  const Shape expected = diagonals_shape(linalg::batch_shape(ctx.shape(0)), d, longest(ctx, m, d));
  if (!(expected == ctx.shape(1))) {
    ctx.fail("Either first dimensions of diagonal don't match input.shape[:-2], or ",
             "diagonal.shape[:-1] is not equal to the longests diagonal in range [", d.lower, ":",
             d.upper, "].\nInput shape: ", ctx.shape(0), "\nDiagonal shape: ", ctx.shape(1),
             "\nExpected diagonal shape: ", expected);
  }
}

KernelResult cpu_set(const KernelContext& ctx) {
  const View& diagonal = ctx.inputs[1];
  const Diagonals d =
      wanted(ctx.inputs[2], ctx.attrs[0].as_string(), diagonal.shape[diagonal.shape.rank() - 1]);
  kernels::replace_diagonals(d, ctx.inputs[0], diagonal, ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad_set(const GradContext& g) {
  const Tensor dy = g.dy();
  const std::string_view align = g.attr(0).as_string();
  Gradients gradients{{}, {}, {}};
  if (g.needs(0)) gradients[0] = set_diag(dy, zeros_like(g.input(1)), g.input(2), align);
  if (g.needs(1)) gradients[1] = diag_part(dy, g.input(2), scalar_like(dy, 0), align);
  return gradients;
}

// band_part

// Checks the number of diagonals kept on one side: host input i, at most `size`.
void check_band(const InferContext& ctx, size_t i, int64_t size, const char* of) {
  bool is_known = false;
  const IntVector value = ctx.ints(i, &is_known);
  if (!is_known) return;
  if (value.size() != 1) ctx.fail(ctx.op().inputs[i].name, " must be one number");
  if (value[0] > size) {
    ctx.fail(ctx.op().inputs[i].name, " must be negative or less or equal to number of ", of, " (",
             size, ") got: ", value[0]);
  }
}

void infer_band(InferContext& ctx) {
  if (ctx.shape(0).is_known()) {
    const Matrices m = linalg::matrices(ctx, 0);
    check_band(ctx, 1, m.rows, "rows");
    check_band(ctx, 2, m.cols, "columns");
  }
  ctx.add_output(ctx.dtype(0), ctx.shape(0));
}

KernelResult cpu_band(const KernelContext& ctx) {
  const auto at = [&](size_t i) {
    const View& view = ctx.inputs[i];
    return view.dtype == DType::kInt32 ? int64_t{*view.as<int32_t>()} : *view.as<int64_t>();
  };
  kernels::band_part(ctx.inputs[0], at(1), at(2), ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad_band(const GradContext& g) {
  return {band_part(g.dy(), g.input(1), g.input(2)), {}, {}};
}

std::vector<Sample> samples_diag() {
  using enum DType;
  const SampleInput none = ints({-1});
  const SampleInput scalar_none = given(kInt32, {}, {-1});
  const SampleInput zero = given(kFloat32, {}, {0}), nine = given(kFloat32, {}, {9});
  return {
      {{f32({3}), ints({0}), none, none, zero}},
      {{f32({2, 3}), given(kInt32, {}, {1}), scalar_none, scalar_none, nine}},
      {{f32({2, 2, 3}), ints({-1, 0}), none, none, nine}},
      {{f32({3, 3}), ints({-1, 1}), none, none, nine}, {{"align", "LEFT_RIGHT"}}},
      {{f32({3, 2}), ints({-1, 1}), ints({3}), ints({2}), nine}, {{"align", "LEFT_LEFT"}}},
      {{f32({2, 3}), ints({1, 2}), ints({3}), ints({5}), nine}, {{"align", "RIGHT_RIGHT"}}},
      {{f32({3}), ints({-2}), ints({5}), none, nine}},
      {{f32({0}), ints({0}), none, none, zero}},
      {{of(kFloat64, {2}), ints({0}), ints({2}), ints({4}), given(kFloat64, {}, {1})}},
      {{of(kInt64, {4}), ints({1}), none, none, given(kInt64, {}, {7})}},
      {{of(kUInt8, {2, 2}, 0, 9), ints({0}), none, none, given(kUInt8, {}, {7})}},
      {{of(kBool, {3}), ints({0}), none, none, given(kBool, {}, {0})}},
      {{of(kFloat16, {3}), ints({0}), none, none, given(kFloat16, {}, {0})}},
      {{of(kComplex128, {3}), ints({0}), none, none, given(kComplex128, {}, {0})}},
      {.inputs = {f32({1024}), ints({0}), none, none, zero}, .for_speed = true},
  };
}

std::vector<Sample> samples_part() {
  using enum DType;
  const SampleInput zero = given(kFloat32, {}, {0}), nine = given(kFloat32, {}, {9});
  return {
      {{f32({3, 4}), ints({0}), zero}},
      {{f32({2, 4, 3}), given(kInt32, {}, {-1}), zero}},
      {{f32({3, 4}), ints({-1, 1}), nine}, {{"align", "LEFT_RIGHT"}}},
      {{f32({3, 4}), ints({-2, 2}), nine}},
      {{f32({2, 4, 3}), ints({-3, 0}), nine}, {{"align", "RIGHT_RIGHT"}}},
      {{f32({2, 3, 3}), ints({0, 2}), nine}, {{"align", "LEFT_LEFT"}}},
      {{f32({0, 3}), ints({0}), zero}},
      {{f32({0, 2, 2}), ints({-1, 1}), zero}},
      {{of(kFloat64, {3, 3}), ints({1, 2}), given(kFloat64, {}, {1})}},
      {{of(kInt32, {3, 3}), ints({0}), given(kInt32, {}, {7})}},
      {{of(kUInt8, {3, 3}, 0, 9), ints({0, 1}), given(kUInt8, {}, {7})}},
      {{of(kBFloat16, {3, 3}), ints({0}), given(kBFloat16, {}, {0})}},
      {{of(kComplex64, {3, 2}), ints({-1, 0}), given(kComplex64, {}, {0})}},
      {.inputs = {f32({1024, 1024}), ints({0}), zero}, .for_speed = true},
  };
}

std::vector<Sample> samples_set() {
  using enum DType;
  return {
      {{f32({3, 4}), f32({3}), ints({0})}},
      {{f32({2, 3, 4}), f32({2, 3}), ints({1})}},
      {{f32({3, 4}), f32({3, 3}), ints({-1, 1})}, {{"align", "LEFT_RIGHT"}}},
      {{f32({2, 4, 3}), f32({2, 2, 3}), ints({-1, 0})}},
      {{f32({4, 3}), f32({2, 3}), ints({-2, -1})}, {{"align", "RIGHT_RIGHT"}}},
      {{f32({0, 3}), f32({0}), ints({0})}},
      {{of(kFloat64, {2, 2}), of(kFloat64, {2}), ints({0})}},
      {{of(kInt64, {2, 2}), of(kInt64, {2}), ints({0})}},
      {{of(kBool, {2, 2}), of(kBool, {2}), ints({0})}},
      {{of(kFloat16, {2, 2}), of(kFloat16, {2}), ints({0})}},
      {{of(kComplex128, {2, 2}), of(kComplex128, {1}), ints({1})}},
      {.inputs = {f32({1024, 1024}), f32({1024}), ints({0})}, .for_speed = true},
  };
}

std::vector<Sample> samples_band() {
  using enum DType;
  const auto number = [](double value) { return given(kInt64, {}, {value}); };
  return {
      {{f32({3, 4}), number(-1), number(0)}},
      {{f32({3, 4}), number(0), number(-1)}},
      {{f32({2, 4, 3}), number(1), number(1)}},
      {{f32({4, 4}), number(4), number(4)}},
      {{f32({4, 4}), given(kInt32, {}, {0}), given(kInt32, {}, {0})}},
      {{f32({0, 3}), number(0), number(1)}},
      {{of(kFloat64, {3, 3}), number(2), number(0)}},
      {{of(kInt32, {3, 3}), number(1), number(0)}},
      {{of(kUInt8, {3, 3}, 0, 9), number(1), number(0)}},
      {{of(kBFloat16, {3, 3}), number(1), number(0)}},
      {{of(kComplex64, {3, 3}), number(1), number(0)}},
      {.inputs = {f32({1024, 1024}), number(-1), number(0)}, .for_speed = true},
  };
}

}  // namespace

PEN_OP_DEF(diag) = {
    .name = "MatrixDiagV3",
    .doc = "Matrices of `padding_value` with diagonals `k` (one, or the lowest and the highest).",
    .inputs = {in("diagonal", kFixedTypes), host("k", kIndexTypes, 'K'),
               host("num_rows", kIndexTypes, 'R'), host("num_cols", kIndexTypes, 'C'),
               in("padding_value", kFixedTypes)},
    .attrs = {string_attr("align", "RIGHT_LEFT")},
    .infer = infer_diag,
    .cpu = cpu_diag,
    .grad = grad_diag,
    .saves = {.inputs = 0b00010},
    .samples = samples_diag,
    .graph_name = {"diag"},
};

PEN_OP_DEF(diag_part) = {
    .name = "MatrixDiagPartV3",
    .doc = "The diagonals `k` of matrices, filled up with `padding_value`.",
    .inputs = {in("input", kFixedTypes), host("k", kIndexTypes, 'K'),
               in("padding_value", kFixedTypes)},
    .attrs = {string_attr("align", "RIGHT_LEFT")},
    .outputs = {"diagonal"},
    .infer = infer_part,
    .cpu = cpu_part,
    .grad = grad_part,
    .saves = {.inputs = 0b010},
    .samples = samples_part,
    .graph_name = {"diag_part"},
};

PEN_OP_DEF(set_diag) = {
    .name = "MatrixSetDiagV3",
    .doc = "`input` with its diagonals `k` replaced.",
    .inputs = {in("input", kFixedTypes), in("diagonal", kFixedTypes), host("k", kIndexTypes, 'K')},
    .attrs = {string_attr("align", "RIGHT_LEFT")},
    .forwards = {{0, 0}},
    .infer = infer_set,
    .cpu = cpu_set,
    .grad = grad_set,
    .saves = {.inputs = 0b100},
    .samples = samples_set,
    .graph_name = {"set_diag"},
};

PEN_OP_DEF(band_part) = {
    .name = "MatrixBandPart",
    .doc = "Zeros but for `num_lower` diagonals below the main one and `num_upper` above it.",
    .inputs = {in("input", kFixedTypes), host("num_lower", kIndexTypes, 'B'),
               host("num_upper", kIndexTypes, 'B')},
    .outputs = {"band"},
    .forwards = {{0, 0}},
    .infer = infer_band,
    .cpu = cpu_band,
    .grad = grad_band,
    .saves = {.inputs = 0b110},
    .samples = samples_band,
};

}  // namespace penstock
