#include "ops/linalg.h"

#include <algorithm>

#include "kernels/lapack.h"

namespace penstock::linalg {

using kernels::Matrices;

Matrices matrices(const InferContext& ctx, size_t i) {
  const Shape& shape = ctx.shape(i);
  if (shape.rank() < 2)
    ctx.fail("Input tensor ", i, " must have rank >= 2, got ", shape.rank(), ": ", shape);
  return kernels::matrices_of(shape);
}

Matrices square_matrices(const InferContext& ctx, size_t i) {
  const Matrices m = matrices(ctx, i);
  if (m.rows != m.cols) ctx.fail("Input matrix must be square, but got ", ctx.shape(i));
  return m;
}

void require_lapack(const InferContext& ctx, const Matrices& m) {
  constexpr int64_t kMaxSize = 1 << 24;   // of either side: work spaces of 64 elements for each
  constexpr int64_t kMaxSmall = 1 << 14;  // of the shorter one: work spaces of 3 n² elements
  if (m.count == 0 || m.size() == 0) {
    if (std::max(m.rows, m.cols) > INT32_MAX) ctx.fail("too large for LAPACK: ", ctx.shape(0));
  } else if (std::max(m.rows, m.cols) > kMaxSize || std::min(m.rows, m.cols) > kMaxSmall) {
    ctx.fail("too large for LAPACK: ", ctx.shape(0));
  }
  if (!kernels::load_lapack()) {
    const std::string text = cat("[", ctx.op().name.value, "] LAPACK: ", kernels::lapack_problem());
    if (kernels::lapack_lacks_memory()) throw ResourceExhaustedError(text);
    throw NotFoundError(text);
  }
}

Shape batch_shape(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
}

Shape with_matrix(const Shape& batch, int64_t rows, int64_t cols) {
  Shape shape = batch;
  shape.append(rows);
  shape.append(cols);
  return shape;
}

DType real_dtype(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

int64_t square_size(const Shape& shape) {
  const int64_t rows = shape[shape.rank() - 2];
  return rows == kUnknownDim ? shape[shape.rank() - 1] : rows;
}

Shape open_solution(const InferContext& ctx, const Shape& batch) {
  const Shape &a = ctx.shape(0), &b = ctx.shape(1);
  const int64_t rows = b[b.rank() - 2];
  return with_matrix(batch, rows == kUnknownDim ? square_size(a) : rows, b[b.rank() - 1]);
}

bool infer_square(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (shape.is_known()) {
    require_lapack(ctx, square_matrices(ctx, 0));
    ctx.add_output(ctx.dtype(0), shape);
    return true;
  }
  const bool has_matrices = shape.has_rank() && shape.rank() >= 2;
  const int64_t size = has_matrices ? square_size(shape) : kUnknownDim;
  ctx.add_output(ctx.dtype(0), has_matrices ? with_matrix(batch_shape(shape), size, size) : shape);
  return false;
}

Tensor conjugate(const Tensor& x) { return kComplexTypes.has(x.dtype()) ? conj(x) : x; }

Tensor transposed(const Tensor& x) {
  IntVector perm;
  for (int i = 0; i < x.rank(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(x, std::span<const int64_t>(perm));
}

Tensor adjointed(const Tensor& x) { return conjugate(transposed(x)); }

Tensor product(const Tensor& a, const Tensor& b, bool adjoint_a, bool adjoint_b) {
  return matmul(a, b, false, false, adjoint_a, adjoint_b);
}

Tensor scalar_int(int64_t value) { return Tensor(value); }

Tensor main_diagonal(const Tensor& x) { return diag_part(x, scalar_int(0), scalar_like(x, 0)); }

Tensor diagonal_matrix(const Tensor& values) {
  const Tensor none = scalar_int(-1);
  return diag(values, scalar_int(0), none, none, scalar_like(values, 0));
}

Tensor with_main_diagonal(const Tensor& x, const Tensor& values) {
  return set_diag(x, values, scalar_int(0));
}

Tensor lower_part(const Tensor& x) { return band_part(x, scalar_int(-1), scalar_int(0)); }
Tensor upper_part(const Tensor& x) { return band_part(x, scalar_int(0), scalar_int(-1)); }

Tensor identity_like(const Tensor& x) {
  Shape diagonal = x.shape();
  diagonal.remove(diagonal.rank() - 1);
  return diagonal_matrix(ones(x.dtype(), diagonal));
}

Tensor as_dtype(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

Tensor block(const Tensor& x, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  IntVector begin, size;
  for (int i = 0; i < x.rank() - 2; ++i) {
    begin.push_back(0);
    size.push_back(x.dim(i));
  }
  begin.push_back(row);
  begin.push_back(col);
  size.push_back(rows);
  size.push_back(cols);
  return slice(x, int_tensor(begin), int_tensor(size));
}

namespace {

// Numbers in [-1, 1) that are the same in every run.
std::vector<double> numbers(size_t count, uint64_t seed) {
  std::vector<double> values(count);
  for (double& value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(seed >> 40) * 0x1p-23 - 1;
  }
  return values;
}

int64_t parts(DType dtype) { return kComplexTypes.has(dtype) ? 2 : 1; }

}  // namespace

SampleInput regular(DType dtype, const Shape& shape) {
  const int64_t per = parts(dtype), rows = shape[shape.rank() - 2], cols = shape[shape.rank() - 1];
  std::vector<double> values = numbers(static_cast<size_t>(shape.num_elements() * per),
                                       static_cast<uint64_t>(rows * 131 + cols));
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    if (i / cols % rows == i % cols) values[static_cast<size_t>(i * per)] += 3;
  }
  return given(dtype, shape, std::move(values));
}

SampleInput positive(DType dtype, const Shape& shape) {
  const int64_t n = shape[shape.rank() - 1], per = parts(dtype);
  const auto at = [&](int64_t matrix, int64_t row, int64_t col) {
    return static_cast<size_t>(((matrix * n + row) * n + col) * per);
  };
  SampleInput input = regular(dtype, shape);
  for (int64_t m = 0; m < shape.num_elements() / std::max<int64_t>(1, n * n); ++m) {
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < r; ++c) {
        input.values[at(m, c, r)] = input.values[at(m, r, c)];
        if (per == 2) input.values[at(m, c, r) + 1] = -input.values[at(m, r, c) + 1];
      }
      input.values[at(m, r, r)] += static_cast<double>(n + r);
      if (per == 2) input.values[at(m, r, r) + 1] = 0;
    }
  }
  input.hermitian = true;
  return input;
}

std::vector<Sample> square_samples(SampleInput (*make)(DType, const Shape&)) {
  using enum DType;
  return {
      {{make(kFloat32, {3, 3})}},    {{make(kFloat64, {2, 4, 4})}},
      {{make(kComplex64, {3, 3})}},  {{make(kComplex128, {2, 2, 2})}},
      {{make(kFloat64, {1, 1})}},    {{make(kFloat32, {2, 1, 3, 3})}},
      {{make(kFloat32, {0, 2, 2})}}, {{make(kFloat64, {2, 0, 0})}},
  };
}

}  // namespace penstock::linalg
