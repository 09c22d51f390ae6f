#include "kernels/gemm.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/gemm_micro.h"
#include "kernels/gemm_packed.h"

namespace penstock::kernels {
namespace {

// Up to here packing costs more than it gains: few multiplications, or a thin operand that is read
// only a few times.
constexpr double kDirectWork = 16 * 16 * 16;
constexpr int64_t kDirectThin = 3;
constexpr double kThreadWork = 1 << 18;  // multiplications a thread should have at least

double work(const GemmSize& size) {
  return static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
}

bool runs_directly(DType dtype, const GemmSize& size) {
  return !kRealFloatTypes.has(dtype) || work(size) <= kDirectWork ||
         std::min(size.m, size.n) <= kDirectThin;
}

// Calls body(row, row_end, col, col_end) for parts of c, cut along its longer side.
template <typename Body>
void for_parts(const GemmSize& size, const Body& body) {
  const int64_t length = std::max(size.m, size.n);
  const double work_each = work(size) / static_cast<double>(length);
  const auto grain = static_cast<int64_t>(std::max(1.0, kThreadWork / std::max(work_each, 1.0)));
  const bool by_rows = size.m >= size.n;
  parallel_for(length, grain, [&](int64_t begin, int64_t end) {
    if (by_rows) {
      body(begin, end, int64_t{0}, size.n);
    } else {
      body(int64_t{0}, size.m, begin, end);
    }
  });
}

template <typename T>
void simd_gemm(const GemmSize& size, const Matrix& a, const Matrix& b, T* c, int64_t c_stride) {
  const DirectGemm<T> g{static_cast<const T*>(a.data),
                        static_cast<const T*>(b.data),
                        c,
                        a.row_stride,
                        a.col_stride,
                        b.row_stride,
                        b.col_stride,
                        c_stride,
                        size.k};
  for_parts(size, [&](int64_t row, int64_t row_end, int64_t col, int64_t col_end) {
    multiply_direct(g, row, row_end, col, col_end);
  });
}

template <typename T, bool kConjugate>
T load(const T* at) {
  if constexpr (kConjugate) return std::conj(*at);
  return *at;
}

// A product of two elements added to `sum`, without undefined behaviour for any value.
template <typename Acc>
void add_product(Acc& sum, Acc x, Acc y) {
  if constexpr (std::is_integral_v<Acc>) {
    sum = static_cast<Acc>(sum + uint64_t{x} * uint64_t{y});
  } else if constexpr (std::is_floating_point_v<Acc>) {
    sum += x * y;
  } else {  // complex: written out, as the library's looks for infinities
    sum +=
        Acc(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
  }
}

// `count` elements of a row of c, by adding multiples of b's contiguous rows.
template <typename T, bool kConjugateA, bool kConjugateB>
void plain_row(const T* a, int64_t a_stride, const T* b, int64_t b_stride, int64_t k, T* c,
               int64_t count) {
  std::fill_n(c, count, T(0));
  for (int64_t p = 0; p < k; ++p, b += b_stride) {
    const T factor = load<T, kConjugateA>(a + p * a_stride);
    for (int64_t j = 0; j < count; ++j) {
      add_product(c[j], factor, load<T, kConjugateB>(b + j));
    }
  }
}

template <typename Acc, typename T, bool kConjugateA, bool kConjugateB>
void plain_gemm(const GemmSize& size, const Matrix& a, const Matrix& b, T* c, int64_t c_stride) {
  for_parts(size, [&](int64_t row, int64_t row_end, int64_t col, int64_t col_end) {
    for (int64_t i = row; i < row_end; ++i) {
      const T* a_row = static_cast<const T*>(a.data) + i * a.row_stride;
      if constexpr (std::is_same_v<Acc, T>) {
        if (b.col_stride == 1) {
          plain_row<T, kConjugateA, kConjugateB>(a_row, a.col_stride,
                                                 static_cast<const T*>(b.data) + col, b.row_stride,
                                                 size.k, c + i * c_stride + col, col_end - col);
          continue;
        }
      }
      for (int64_t j = col; j < col_end; ++j) {
        const T* b_col = static_cast<const T*>(b.data) + j * b.col_stride;
        Acc sum(0);
        for (int64_t p = 0; p < size.k; ++p) {
          add_product(sum, Acc(load<T, kConjugateA>(a_row + p * a.col_stride)),
                      Acc(load<T, kConjugateB>(b_col + p * b.row_stride)));
        }
        c[i * c_stride + j] = T(sum);
      }
    }
  });
}

template <typename Acc, typename T>
void plain(const GemmSize& size, const Matrix& a, const Matrix& b, void* c, int64_t c_stride) {
  plain_gemm<Acc, T, false, false>(size, a, b, static_cast<T*>(c), c_stride);
}

template <typename T>
void complex(const GemmSize& size, const Matrix& a, const Matrix& b, void* c_data,
             int64_t c_stride) {
  T* c = static_cast<T*>(c_data);
  if (a.conjugate && b.conjugate) return plain_gemm<T, T, true, true>(size, a, b, c, c_stride);
  if (a.conjugate) return plain_gemm<T, T, true, false>(size, a, b, c, c_stride);
  if (b.conjugate) return plain_gemm<T, T, false, true>(size, a, b, c, c_stride);
  plain_gemm<T, T, false, false>(size, a, b, c, c_stride);
}

void direct_gemm(DType dtype, const GemmSize& size, const Matrix& a, const Matrix& b, void* c,
                 int64_t c_stride) {
  switch (dtype) {
    case DType::kFloat32:
      return simd_gemm(size, a, b, static_cast<float*>(c), c_stride);
    case DType::kFloat64:
      return simd_gemm(size, a, b, static_cast<double*>(c), c_stride);
    case DType::kFloat16:
      return plain<float, float16>(size, a, b, c, c_stride);
    case DType::kBFloat16:
      return plain<float, bfloat16>(size, a, b, c, c_stride);
    case DType::kInt8:
    case DType::kUInt8:
      return plain<uint8_t, uint8_t>(size, a, b, c, c_stride);
    case DType::kInt16:
    case DType::kUInt16:
      return plain<uint16_t, uint16_t>(size, a, b, c, c_stride);
    case DType::kInt32:
    case DType::kUInt32:
      return plain<uint32_t, uint32_t>(size, a, b, c, c_stride);
    case DType::kInt64:
    case DType::kUInt64:
      return plain<uint64_t, uint64_t>(size, a, b, c, c_stride);
    case DType::kComplex64:
      return complex<complex64>(size, a, b, c, c_stride);
    default:
      return complex<complex128>(size, a, b, c, c_stride);
  }
}

void clear(DType dtype, const GemmSize& size, void* c, int64_t c_stride) {
  const size_t element_size = dtype_size(dtype);
  for (int64_t i = 0; i < size.m; ++i) {
    std::memset(static_cast<char*>(c) + static_cast<size_t>(i * c_stride) * element_size, 0,
                static_cast<size_t>(size.n) * element_size);
  }
}

Matrix transposed(const Matrix& x) { return {x.data, x.col_stride, x.row_stride, x.conjugate}; }

}  // namespace

int64_t gemm_scratch_bytes(DType dtype, const GemmSize& size) {
  return runs_directly(dtype, size) ? 0 : packed_gemm_scratch_bytes(dtype, size);
}

void gemm(DType dtype, const GemmSize& size, const Matrix& a, const Matrix& b, void* c,
          int64_t c_stride, void* scratch, const Epilogue& epilogue) noexcept {
  if (size.m == 0 || size.n == 0) return;
  if (size.k == 0) return clear(dtype, size, c, c_stride);
  if (runs_directly(dtype, size)) {
    // If c is a column it can be treated as a row: a's contiguous columns then become its rows.
    if (size.n == 1 && c_stride == 1 && a.row_stride == 1 && a.col_stride != 1) {
      return direct_gemm(dtype, {1, size.m, size.k}, transposed(b), transposed(a), c, size.m);
    }
    return direct_gemm(dtype, size, a, b, c, c_stride);
  }
  const PackedMatrix rows{a.data, a.row_stride, a.col_stride};
  const PackedMatrix cols{b.data, b.col_stride, b.row_stride};
  packed_gemm({.dtype = dtype,
               .size = size,
               .a = matrix_operand(dtype, rows),
               .b = matrix_operand(dtype, cols),
               .c = c,
               .c_stride = c_stride,
               .epilogue = epilogue},
              scratch);
}

}  // namespace penstock::kernels
