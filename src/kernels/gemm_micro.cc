#include "kernels/gemm_micro.h"

#define HWY_TARGET_INCLUDE "kernels/gemm_micro.cc"
#include "kernels/targets.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;

// Two vectors wide, and as tall as the registers allow: 2 * rows sums, two of b and one of a. Rows
// that are not packed cost more to read: there four vectors wide and half as tall is quicker.
#if HWY_TARGET == HWY_AVX3
template <TileRows Kind>
constexpr int kRows = Kind != TileRows::kPacked ? 6 : 12;
template <TileRows Kind>
constexpr int kVectors = Kind != TileRows::kPacked ? 4 : 2;
#else
template <TileRows Kind>
constexpr int kRows = 6;
template <TileRows Kind>
constexpr int kVectors = 2;
#endif

template <TileRows Kind, typename T>
constexpr int64_t kCols = kVectors<Kind> * static_cast<int64_t>(hn::MaxLanes(Tag<T>()));

template <typename T>
TileShape shape(TileRows kind) {
  if (kind != TileRows::kPacked) return {kRows<TileRows::kByRow>, kCols<TileRows::kByRow, T>};
  return {kRows<TileRows::kPacked>, kCols<TileRows::kPacked, T>};
}
TileShape ShapeF32(TileRows kind) { return shape<float>(kind); }
TileShape ShapeF64(TileRows kind) { return shape<double>(kind); }

// The sums of one tile: `Rows` × `Vectors` vectors.
template <int Rows, int Vectors, typename T>
HWY_INLINE void store(const TileTarget<T>& target, const hn::Vec<Tag<T>> (&sums)[Rows][Vectors]) {
  const Tag<T> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int i = 0; i < Rows; ++i) {
    if (i >= target.rows) return;
    T* c = target.c[i] + target.col;
    for (int v = 0; v < Vectors; ++v, c += n) {
      const int64_t count = target.cols - v * n;
      if (count >= n) {
        hn::StoreU(target.add ? hn::Add(sums[i][v], hn::LoadU(d, c)) : sums[i][v], d, c);
        continue;
      }
      T part[hn::MaxLanes(Tag<T>())];
      hn::StoreU(sums[i][v], d, part);
      for (int64_t j = 0; j < count; ++j) c[j] = target.add ? c[j] + part[j] : part[j];
    }
  }
}

// One step: `row(i)` is the value of a's row i.
template <int Rows, int Vectors, typename T, typename Row>
HWY_INLINE void step(const T* b, const Row& row, hn::Vec<Tag<T>> (&sums)[Rows][Vectors]) {
  const Tag<T> d;
  hn::Vec<Tag<T>> columns[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    columns[v] = hn::LoadU(d, b + static_cast<size_t>(v) * hn::Lanes(d));
  }
  for (int i = 0; i < Rows; ++i) {
    const auto factor = hn::Set(d, row(i));
    for (int v = 0; v < Vectors; ++v) sums[i][v] = hn::MulAdd(factor, columns[v], sums[i][v]);
  }
}

// The rows of c are far apart: prefetch them while the sums accumulate.
template <int Vectors, typename T>
HWY_INLINE void fetch(const T* c) {
  for (int v = 0; v < Vectors; ++v) hwy::Prefetch(c + static_cast<size_t>(v) * hn::Lanes(Tag<T>()));
}

template <TileRows Kind, int Rows, int Vectors, typename T>
HWY_INLINE void tile(const TileLeft<T>& left, const T* b, const TileTarget<T>& target) {
  const Tag<T> d;
  hn::Vec<Tag<T>> sums[Rows][Vectors];
  for (int i = 0; i < Rows; ++i) {
    if (i < target.rows) fetch<Vectors>(target.c[i] + target.col);
    for (int v = 0; v < Vectors; ++v) sums[i][v] = hn::Zero(d);
  }
  constexpr int64_t kStride = kCols<Kind, T>;
  if constexpr (Kind == TileRows::kPacked) {
    const T* a = left.packed;
    for (int64_t p = 0; p < left.steps; ++p, a += kRows<Kind>, b += kStride) {
      step(b, [a](int i) HWY_ATTR { return a[i]; }, sums);
    }
  } else if constexpr (Kind == TileRows::kByRow) {
    for (int64_t s = 0; s < left.steps; ++s) {
      const T* a[Rows];
      for (int i = 0; i < Rows; ++i) a[i] = left.pointers[s * kRows<Kind> + i];
      const int64_t length = left.lengths[s];
      for (int64_t p = 0; p < length; ++p, b += kStride) {
        step(b, [&a, p](int i) HWY_ATTR { return a[i][p]; }, sums);
      }
    }
  } else {
    for (int64_t p = 0; p < left.steps; ++p, b += left.right_stride) {
      const T* a = left.pointers[p] + left.first;
      step(b, [a](int i) HWY_ATTR { return a[i]; }, sums);
    }
  }
  store(target, sums);
}

// Narrow and low tiles, at the edges of the product, skip what is missing.
template <TileRows Kind, typename T>
HWY_NOINLINE void fitting_tile(const TileLeft<T>& a, const T* b, const TileTarget<T>& target) {
  constexpr int kThird = kRows<Kind> / 3, kAll = kVectors<Kind>, kHalf = kAll / 2;
  if (target.cols > kCols<Kind, T> / 2) {
    if (target.rows > 2 * kThird) return tile<Kind, 3 * kThird, kAll>(a, b, target);
    if (target.rows > kThird) return tile<Kind, 2 * kThird, kAll>(a, b, target);
    return tile<Kind, kThird, kAll>(a, b, target);
  }
  if (target.rows > 2 * kThird) return tile<Kind, 3 * kThird, kHalf>(a, b, target);
  if (target.rows > kThird) return tile<Kind, 2 * kThird, kHalf>(a, b, target);
  tile<Kind, kThird, kHalf>(a, b, target);
}

template <typename T>
HWY_INLINE void any_tile(const TileLeft<T>& a, const T* b, const TileTarget<T>& target) {
  switch (a.kind) {
    case TileRows::kPacked:
      return fitting_tile<TileRows::kPacked>(a, b, target);
    case TileRows::kByRow:
      return fitting_tile<TileRows::kByRow>(a, b, target);
    case TileRows::kByStep:
      return fitting_tile<TileRows::kByStep>(a, b, target);
  }
}
void TileF32(const TileLeft<float>& a, const float* b, const TileTarget<float>& target) {
  any_tile(a, b, target);
}
void TileF64(const TileLeft<double>& a, const double* b, const TileTarget<double>& target) {
  any_tile(a, b, target);
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

// Both are read contiguously: a row of a and a column of b.
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

TileShape tile_shape(float, TileRows kind) { return HWY_DYNAMIC_DISPATCH(ShapeF32)(kind); }
TileShape tile_shape(double, TileRows kind) { return HWY_DYNAMIC_DISPATCH(ShapeF64)(kind); }

void multiply_tile(const TileLeft<float>& a, const float* b, const TileTarget<float>& target) {
  HWY_DYNAMIC_DISPATCH(TileF32)(a, b, target);
}
void multiply_tile(const TileLeft<double>& a, const double* b, const TileTarget<double>& target) {
  HWY_DYNAMIC_DISPATCH(TileF64)(a, b, target);
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
