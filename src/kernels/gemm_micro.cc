#include "kernels/gemm_micro.h"

#define HWY_TARGET_INCLUDE "kernels/gemm_micro.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two vectors wide, and as tall as the registers allow: 2 * rows sums, two of b and one of a.
#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 12;
#else
constexpr int kRows = 6;
#endif

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
constexpr int64_t kCols = 2 * static_cast<int64_t>(hn::MaxLanes(Tag<T>()));

template <typename T>
TileShape shape() {
  return {kRows, kCols<T>};
}
TileShape ShapeF32() { return shape<float>(); }
TileShape ShapeF64() { return shape<double>(); }

template <typename T, class V>
HWY_INLINE void store_part(const TileTarget<T>& target, const V (&left)[kRows],
                           const V (&right)[kRows]) {
  const Tag<T> d;
  T row[kCols<T>];
  for (int i = 0; i < kRows; ++i) {
    if (i >= target.rows) return;
    hn::StoreU(left[i], d, row);
    hn::StoreU(right[i], d, row + hn::Lanes(d));
    T* c = target.c + i * target.stride;
    for (int64_t j = 0; j < target.cols; ++j) c[j] = target.add ? c[j] + row[j] : row[j];
  }
}

template <typename T, class V>
HWY_INLINE void store_whole(const TileTarget<T>& target, const V (&left)[kRows],
                            const V (&right)[kRows]) {
  const Tag<T> d;
  const size_t n = hn::Lanes(d);
  for (int i = 0; i < kRows; ++i) {
    T* c = target.c + i * target.stride;
    V first = left[i];
    V second = right[i];
    if (target.add) {
      first = hn::Add(first, hn::LoadU(d, c));
      second = hn::Add(second, hn::LoadU(d, c + n));
    }
    hn::StoreU(first, d, c);
    hn::StoreU(second, d, c + n);
  }
}

template <typename T>
HWY_INLINE void tile(int64_t k, const T* a, const T* b, const TileTarget<T>& target) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  const size_t n = hn::Lanes(d);
  V left[kRows];
  V right[kRows];
  for (int i = 0; i < kRows; ++i) left[i] = right[i] = hn::Zero(d);
  for (int64_t p = 0; p < k; ++p) {
    const V b_left = hn::LoadU(d, b);
    const V b_right = hn::LoadU(d, b + n);
    for (int i = 0; i < kRows; ++i) {
      const V factor = hn::Set(d, a[i]);
      left[i] = hn::MulAdd(factor, b_left, left[i]);
      right[i] = hn::MulAdd(factor, b_right, right[i]);
    }
    a += kRows;
    b += kCols<T>;
  }
  if (target.rows == kRows && target.cols == kCols<T>) {
    store_whole(target, left, right);
  } else {
    store_part(target, left, right);
  }
}
void TileF32(int64_t k, const float* a, const float* b, const TileTarget<float>& target) {
  tile(k, a, b, target);
}
void TileF64(int64_t k, const double* a, const double* b, const TileTarget<double>& target) {
  tile(k, a, b, target);
}

// `Vectors` vectors of one row of c, from column j on; b's rows are contiguous.
template <int Vectors, typename T>
HWY_INLINE void row_part(const DirectGemm<T>& g, int64_t i, int64_t j) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  const size_t n = hn::Lanes(d);
  V sums[Vectors];
  for (int v = 0; v < Vectors; ++v) sums[v] = hn::Zero(d);
  const T* a = g.a + i * g.a_row;
  const T* b = g.b + j;
  for (int64_t p = 0; p < g.k; ++p) {
    const V factor = hn::Set(d, a[p * g.a_col]);
    for (int v = 0; v < Vectors; ++v) {
      sums[v] = hn::MulAdd(factor, hn::LoadU(d, b + static_cast<size_t>(v) * n), sums[v]);
    }
    b += g.b_row;
  }
  T* c = g.c + i * g.c_stride + j;
  for (int v = 0; v < Vectors; ++v) hn::StoreU(sums[v], d, c + static_cast<size_t>(v) * n);
}

// Both run along their memory: a row of a and a column of b.
template <typename T>
HWY_INLINE T dot(const T* a, const T* b, int64_t k) {
  const Tag<T> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  T sum = 0;
  int64_t p = 0;
  if (k >= 4 * n) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (; p + 4 * n <= k; p += 4 * n) {
      s0 = hn::MulAdd(hn::LoadU(d, a + p), hn::LoadU(d, b + p), s0);
      s1 = hn::MulAdd(hn::LoadU(d, a + p + n), hn::LoadU(d, b + p + n), s1);
      s2 = hn::MulAdd(hn::LoadU(d, a + p + 2 * n), hn::LoadU(d, b + p + 2 * n), s2);
      s3 = hn::MulAdd(hn::LoadU(d, a + p + 3 * n), hn::LoadU(d, b + p + 3 * n), s3);
    }
    s0 = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    sum = hn::GetLane(hn::SumOfLanes(d, s0));
  }
  for (; p < k; ++p) sum += a[p] * b[p];
  return sum;
}

template <typename T>
HWY_INLINE T element(const DirectGemm<T>& g, int64_t i, int64_t j) {
  const T* a = g.a + i * g.a_row;
  const T* b = g.b + j * g.b_col;
  if (g.a_col == 1 && g.b_row == 1) return dot(a, b, g.k);
  T sum = 0;
  for (int64_t p = 0; p < g.k; ++p) sum += a[p * g.a_col] * b[p * g.b_row];
  return sum;
}

template <typename T>
HWY_INLINE void direct(const DirectGemm<T>& g, int64_t row, int64_t row_end, int64_t col,
                       int64_t col_end) {
  const auto n = static_cast<int64_t>(hn::Lanes(Tag<T>()));
  for (int64_t i = row; i < row_end; ++i) {
    int64_t j = col;
    if (g.b_col == 1) {
      for (; j + 4 * n <= col_end; j += 4 * n) row_part<4>(g, i, j);
      for (; j + n <= col_end; j += n) row_part<1>(g, i, j);
    }
    for (; j < col_end; ++j) g.c[i * g.c_stride + j] = element(g, i, j);
  }
}
void DirectF32(const DirectGemm<float>& g, int64_t row, int64_t row_end, int64_t col,
               int64_t col_end) {
  direct(g, row, row_end, col, col_end);
}
void DirectF64(const DirectGemm<double>& g, int64_t row, int64_t row_end, int64_t col,
               int64_t col_end) {
  direct(g, row, row_end, col, col_end);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(ShapeF32);
HWY_EXPORT(ShapeF64);
HWY_EXPORT(TileF32);
HWY_EXPORT(TileF64);
HWY_EXPORT(DirectF32);
HWY_EXPORT(DirectF64);

TileShape tile_shape(float) { return HWY_DYNAMIC_DISPATCH(ShapeF32)(); }
TileShape tile_shape(double) { return HWY_DYNAMIC_DISPATCH(ShapeF64)(); }

void multiply_tile(int64_t k, const float* a, const float* b, const TileTarget<float>& target) {
  HWY_DYNAMIC_DISPATCH(TileF32)(k, a, b, target);
}
void multiply_tile(int64_t k, const double* a, const double* b, const TileTarget<double>& target) {
  HWY_DYNAMIC_DISPATCH(TileF64)(k, a, b, target);
}

void multiply_direct(const DirectGemm<float>& g, int64_t row, int64_t row_end, int64_t col,
                     int64_t col_end) {
  HWY_DYNAMIC_DISPATCH(DirectF32)(g, row, row_end, col, col_end);
}
void multiply_direct(const DirectGemm<double>& g, int64_t row, int64_t row_end, int64_t col,
                     int64_t col_end) {
  HWY_DYNAMIC_DISPATCH(DirectF64)(g, row, row_end, col, col_end);
}

}  // namespace penstock::kernels
#endif
