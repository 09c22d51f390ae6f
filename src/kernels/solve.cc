// A row-major matrix is the transpose of what LAPACK sees: M = Aᵀ. With P M = L U (getrf), A x = b
// is xᵀ M = bᵀ, solved from the right: two triangular solves over b in its place, and the rows of
// the result exchanged. Nothing is transposed but for Lu, whose factors must be those of A itself.
#include "kernels/solve.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/lapack.h"

namespace penstock::kernels {
namespace {

template <typename T>
T* matrix_at(const View& view, int64_t index) {
  const Shape& shape = view.shape;
  return view.as<T>() + index * shape[shape.rank() - 2] * shape[shape.rank() - 1];
}

template <typename T>
void copy(const T* from, int64_t count, T* to) {
  if (from != to && count > 0) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
}

template <typename T>
void cholesky_one(const T* in, int64_t n, T* out) {
  copy(in, n * n, out);
  const int size = static_cast<int>(n);
  int info = 0;
  lapack<T>()->potrf("U", &size, out, &size, &info, 1);
  const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
  for (int64_t r = 0; r < n; ++r) {
    if (info != 0) std::fill_n(out + r * n, r + 1, nan);
    std::fill(out + r * n + r + 1, out + (r + 1) * n, T(0));
  }
}

// b := b · op(a)⁻¹ for the column-major b of m × n: in row-major words, rows of unknowns.
template <typename T>
void solve_from_right(char uplo, char op, char diagonal, int m, int n, const T* a, T* b) {
  const T one(1);
  if (m == 0 || n == 0) return;
  lapack<T>()->trsm("R", &uplo, &op, &diagonal, &m, &n, &one, a, &n, b, &m, 1, 1, 1, 1);
}

template <typename T>
void exchange_rows(T* b, int64_t n, int64_t k, const int* pivots, bool backwards) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = backwards ? n - 1 - i : i;
    const int64_t other = pivots[row] - 1;
    if (other != row) std::swap_ranges(b + row * k, b + (row + 1) * k, b + other * k);
  }
}

// Among NaNs the search for the largest pivot may end nowhere.
void keep_in_range(int* pivots, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (pivots[i] <= i || pivots[i] > n) pivots[i] = static_cast<int>(i) + 1;
  }
}

// The factors of one matrix.
template <typename T>
struct LuWork {
  LuWork(Carver& carver, int64_t n) : lu(carver.take<T>(n * n)), pivots(carver.take<int>(n)) {}

  // False when the matrix is singular.
  bool factor(const T* a, int64_t n) const {
    copy(a, n * n, lu);
    const int size = static_cast<int>(n);
    int info = 0;
    if (n > 0) lapack<T>()->getrf(&size, &size, lu, &size, pivots, &info);
    keep_in_range(pivots, n);
    return info == 0;
  }

  T* lu;
  int* pivots;
};

// For getri, which wants room to work in blocks.
template <typename T>
struct InverseWork {
  InverseWork(Carver& carver, int64_t n) : pivots(carver.take<int>(n)) {
    const int size = static_cast<int>(n), query = -1;
    int info = 0;
    T best(1);
    if (n > 0) lapack<T>()->getri(&size, nullptr, &size, nullptr, &best, &query, &info);
    lwork = std::max(1, static_cast<int>(std::real(best)));
    work = carver.take<T>(lwork);
  }

  bool invert(T* a, int64_t n) const {
    const int size = static_cast<int>(n);
    int info = 0;
    if (n == 0) return true;
    lapack<T>()->getrf(&size, &size, a, &size, pivots, &info);
    keep_in_range(pivots, n);
    if (info == 0) lapack<T>()->getri(&size, a, &size, pivots, work, &lwork, &info);
    return info == 0;
  }

  int* pivots;
  T* work;
  int lwork;
};

// The determinant of a factored matrix as sign · exp(log_abs), or in one as `product`.
template <typename T>
struct Determinant {
  T sign{1}, product{1};
  Real<T> log_abs{0};

  Determinant(const LuWork<T>& work, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const T pivot = work.lu[i * n + i];
      const Real<T> size = std::abs(pivot);
      if (work.pivots[i] - 1 != i) sign = -sign, product = -product;
      product *= pivot;
      log_abs += std::log(size);
      sign *= size == 0 ? T(0) : pivot / size;
    }
  }
};

// `tensor` as matrix `index` of a batch sees it; see MatMul.
int64_t operand_index(const Shape& operand, const Shape& batch, int64_t index) {
  int64_t result = 0, stride = 1;
  for (int i = batch.rank() - 1, k = operand.rank() - 3; k >= 0; --i, --k) {
    const int64_t at = index % batch[i];
    index /= batch[i];
    if (operand[k] != 1) result += at * stride;
    stride *= operand[k];
  }
  return result;
}

template <typename T>
struct LuOfColumns {
  LuOfColumns(Carver& carver, int64_t n)
      : columns(carver.take<T>(n * n)), pivots(carver.take<int>(n)) {}
  T* columns;
  int* pivots;
};

template <typename Index>
void write_permutation(const int* pivots, int64_t n, Index* out) {
  std::iota(out, out + n, Index(0));
  for (int64_t i = 0; i < n; ++i) std::swap(out[i], out[pivots[i] - 1]);
}

}  // namespace

void cholesky(const View& in, const View& out) {
  const Matrices m = matrices_of(in.shape);
  if (m.size() == 0) return;
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_matrices<NoWork>(m.count, m.work(), nullptr, [&](const NoWork&, int64_t i) {
      cholesky_one(matrix_at<T>(in, i), m.rows, matrix_at<T>(out, i));
    });
  });
}

void triangular_solve(const View& a, const View& b, bool lower, bool adjoint, const Shape& batch,
                      const View& out) {
  const Matrices m = matrices_of(a.shape), x = matrices_of(out.shape);
  if (out.size() == 0) return;
  const double work = m.work() + static_cast<double>(m.rows) * static_cast<double>(x.size());
  with_lapack_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_matrices<NoWork>(x.count, work, nullptr, [&](const NoWork&, int64_t i) {
      T* solution = matrix_at<T>(out, i);
      copy(matrix_at<T>(b, operand_index(b.shape, batch, i)), x.size(), solution);
      solve_from_right(lower ? 'U' : 'L', adjoint ? 'C' : 'N', 'N', static_cast<int>(x.cols),
                       static_cast<int>(m.rows), matrix_at<T>(a, operand_index(a.shape, batch, i)),
                       solution);
    });
  });
}

int64_t solve_scratch(DType dtype, Matrices a) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<LuWork<decltype(zero)>>(a.count, a.work(), a.rows);
  });
}

int64_t solve(const View& a, const View& b, bool adjoint, const View& out, void* scratch) {
  const Matrices m = matrices_of(a.shape), x = matrices_of(out.shape);
  const int n = static_cast<int>(m.rows), k = static_cast<int>(x.cols);
  FirstFailure failure;
  if (out.size() == 0) return failure.index();
  with_lapack_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const LuWork<T>& work, int64_t i) {
      if (!work.factor(matrix_at<T>(a, i), n)) return failure.note(i);
      T* solution = matrix_at<T>(out, i);
      copy(matrix_at<T>(b, i), x.size(), solution);
      if (adjoint) {
        exchange_rows(solution, n, k, work.pivots, false);
        solve_from_right('L', 'C', 'U', k, n, work.lu, solution);
        solve_from_right('U', 'C', 'N', k, n, work.lu, solution);
      } else {
        solve_from_right('U', 'N', 'N', k, n, work.lu, solution);
        solve_from_right('L', 'N', 'U', k, n, work.lu, solution);
        exchange_rows(solution, n, k, work.pivots, true);
      }
    };
    for_matrices<LuWork<T>>(m.count, m.work(), scratch, body, m.rows);
  });
  return failure.index();
}

int64_t inverse_scratch(DType dtype, Matrices a) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<InverseWork<decltype(zero)>>(a.count, a.work(), a.rows);
  });
}

int64_t inverse(const View& in, bool adjoint, const View& out, void* scratch) {
  const Matrices m = matrices_of(in.shape);
  FirstFailure failure;
  if (out.size() == 0) return failure.index();
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const InverseWork<T>& work, int64_t i) {
      T* result = matrix_at<T>(out, i);
      if (adjoint) {
        transpose_matrix(matrix_at<T>(in, i), m.rows, m.cols, result, true);
      } else {
        copy(matrix_at<T>(in, i), m.size(), result);
      }
      if (!work.invert(result, m.rows)) failure.note(i);
    };
    for_matrices<InverseWork<T>>(m.count, m.work(), scratch, body, m.rows);
  });
  return failure.index();
}

int64_t determinant_scratch(DType dtype, Matrices a) { return solve_scratch(dtype, a); }

void determinant(const View& in, const View& out, void* scratch) {
  const Matrices m = matrices_of(in.shape);
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const LuWork<T>& work, int64_t i) {
      work.factor(matrix_at<T>(in, i), m.rows);
      out.as<T>()[i] = Determinant<T>(work, m.rows).product;
    };
    for_matrices<LuWork<T>>(m.count, m.work(), scratch, body, m.rows);
  });
}

void log_determinant(const View& in, const View& sign, const View& log_abs, void* scratch) {
  const Matrices m = matrices_of(in.shape);
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const LuWork<T>& work, int64_t i) {
      work.factor(matrix_at<T>(in, i), m.rows);
      const Determinant<T> found(work, m.rows);
      sign.as<T>()[i] = found.sign;
      log_abs.as<T>()[i] = T(found.log_abs);
    };
    for_matrices<LuWork<T>>(m.count, m.work(), scratch, body, m.rows);
  });
}

int64_t lu_scratch(DType dtype, Matrices a) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<LuOfColumns<decltype(zero)>>(a.count, a.work(), a.rows);
  });
}

int64_t lu(const View& in, const View& out, const View& permutation, void* scratch) {
  const Matrices m = matrices_of(in.shape);
  const int n = static_cast<int>(m.rows);
  FirstFailure failure;
  if (out.size() == 0) return failure.index();
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const LuOfColumns<T>& work, int64_t i) {
      transpose_matrix(matrix_at<T>(in, i), m.rows, m.cols, work.columns);
      int info = 0;
      if (n > 0) lapack<T>()->getrf(&n, &n, work.columns, &n, work.pivots, &info);
      if (info != 0) return failure.note(i);
      keep_in_range(work.pivots, n);
      transpose_matrix(work.columns, m.cols, m.rows, matrix_at<T>(out, i));
      if (permutation.dtype == DType::kInt32) {
        write_permutation(work.pivots, n, permutation.as<int32_t>() + i * n);
      } else {
        write_permutation(work.pivots, n, permutation.as<int64_t>() + i * n);
      }
    };
    for_matrices<LuOfColumns<T>>(m.count, m.work(), scratch, body, m.rows);
  });
  return failure.index();
}

}  // namespace penstock::kernels
