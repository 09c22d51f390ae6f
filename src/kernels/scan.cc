#include "kernels/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements a thread should have at least
constexpr int64_t kTile = 64;        // neighbours that are scanned side by side

// Lines of n elements that are `inner` apart; neighbouring lines lie next to each other.
struct Lines {
  int64_t outer, n, inner;
  bool exclusive, reverse;
};

struct Sum {
  template <typename A>
  static A start() {
    return A(0);
  }
  template <typename A>
  static A one(A a, A b) {
    return a + b;
  }
};
struct Prod {
  template <typename A>
  static A start() {
    return A(1);
  }
  template <typename A>
  static A one(A a, A b) {
    return product(a, b);
  }
};

struct LogSumExp {
  template <typename A>
  static A start() {
    return -std::numeric_limits<A>::infinity();
  }
  template <typename A>
  static A one(A a, A b) {
    const A larger = a < b || b != b ? b : a;
    const A lesser = a < b || b != b ? a : b;
    if (lesser == -std::numeric_limits<A>::infinity()) return larger;
    if (larger == std::numeric_limits<A>::infinity() && lesser == lesser) return larger;
    return larger + std::log1p(std::exp(lesser - larger));
  }
};

// kWidth is 1 where a line lies in one piece, so that its state stays in a register.
template <int64_t kWidth, class Op, typename T>
void scan_tile(const Lines& lines, const T* x, T* out, int64_t width) {
  using Acc = Wide<T>;
  Acc acc[kWidth];
  if (kWidth == 1) width = 1;
  std::fill_n(acc, width, Op::template start<Acc>());
  for (int64_t i = 0; i < lines.n; ++i) {
    const int64_t at = (lines.reverse ? lines.n - 1 - i : i) * lines.inner;
    for (int64_t j = 0; j < width; ++j) {
      const Acc before = acc[j];
      acc[j] = Op::one(before, widen<Acc>(x[at + j]));
      out[at + j] = narrow<T>(lines.exclusive ? before : acc[j]);
    }
  }
}

template <int64_t kWidth, typename T>
void linear_tile(const Lines& lines, const T* a, const T* b, T* out, int64_t width) {
  using Acc = Wide<T>;
  Acc state[kWidth];
  if (kWidth == 1) width = 1;
  std::fill_n(state, width, Acc(0));
  for (int64_t i = 0; i < lines.n; ++i) {
    const int64_t at = (lines.reverse ? lines.n - 1 - i : i) * lines.inner;
    for (int64_t j = 0; j < width; ++j) {
      const Acc before = state[j];
      state[j] = product(widen<Acc>(a[at + j]), before) + widen<Acc>(b[at + j]);
      out[at + j] = narrow<T>(lines.exclusive ? before : state[j]);
    }
  }
}

// Calls tile(offset, width) for all lines, up to kTile neighbours at a time.
template <typename Tile>
void for_tiles(const Lines& lines, Tile tile) {
  const int64_t tiles = (lines.inner + kTile - 1) / kTile;
  const int64_t work = lines.n * std::min(lines.inner, kTile);
  parallel_for(
      lines.outer * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t t, int64_t end) {
        for (; t < end; ++t) {
          const int64_t column = t % tiles * kTile;
          tile(t / tiles * lines.n * lines.inner + column, std::min(kTile, lines.inner - column));
        }
      });
}

template <class Op, typename T>
void scan_lines(const Lines& lines, const void* x_data, void* out_data) {
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  const auto tile = lines.inner == 1 ? scan_tile<1, Op, T> : scan_tile<kTile, Op, T>;
  for_tiles(lines, [&](int64_t at, int64_t width) { tile(lines, x + at, out + at, width); });
}

template <typename T>
void scan_as(Scan operation, const Lines& lines, const View& x, const View& out) {
  if (operation == Scan::kSum) return scan_lines<Sum, T>(lines, x.data, out.data);
  if constexpr (kRealFloatTypes.has(kDTypeOf<T>)) {
    if (operation == Scan::kLogSumExp) return scan_lines<LogSumExp, T>(lines, x.data, out.data);
  }
  scan_lines<Prod, T>(lines, x.data, out.data);
}

template <typename T>
void linear_scan_as(const Lines& lines, const View& a, const View& b, const View& out) {
  const auto tile = lines.inner == 1 ? linear_tile<1, T> : linear_tile<kTile, T>;
  for_tiles(lines, [&](int64_t at, int64_t width) {
    tile(lines, a.as<T>() + at, b.as<T>() + at, out.as<T>() + at, width);
  });
}

Lines lines_along(const Shape& shape, int axis, bool exclusive, bool reverse) {
  Lines lines{1, shape[axis], 1, exclusive, reverse};
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) lines.outer *= shape[i];
    if (i > axis) lines.inner *= shape[i];
  }
  return lines;
}

}  // namespace

void scan(Scan operation, const View& x, int axis, bool exclusive, bool reverse, const View& out) {
  if (x.size() == 0) return;
  const Lines lines = lines_along(x.shape, axis, exclusive, reverse);
  switch (x.dtype) {
#define PEN_SCAN_CASE(T, dtype) \
  case DType::dtype:            \
    return scan_as<T>(operation, lines, x, out);
    PEN_SCAN_CASE(int8_t, kInt8)
    PEN_SCAN_CASE(int16_t, kInt16)
    PEN_SCAN_CASE(int32_t, kInt32)
    PEN_SCAN_CASE(int64_t, kInt64)
    PEN_SCAN_CASE(uint8_t, kUInt8)
    PEN_SCAN_CASE(uint16_t, kUInt16)
    PEN_SCAN_CASE(uint32_t, kUInt32)
    PEN_SCAN_CASE(uint64_t, kUInt64)
    PEN_SCAN_CASE(float16, kFloat16)
    PEN_SCAN_CASE(bfloat16, kBFloat16)
    PEN_SCAN_CASE(float, kFloat32)
    PEN_SCAN_CASE(double, kFloat64)
    PEN_SCAN_CASE(complex64, kComplex64)
    PEN_SCAN_CASE(complex128, kComplex128)
#undef PEN_SCAN_CASE
    default:
      return;
  }
}

void linear_scan(const View& a, const View& b, int axis, bool exclusive, bool reverse,
                 const View& out) {
  if (a.size() == 0) return;
  const Lines lines = lines_along(a.shape, axis, exclusive, reverse);
  switch (a.dtype) {
    case DType::kFloat16:
      return linear_scan_as<float16>(lines, a, b, out);
    case DType::kBFloat16:
      return linear_scan_as<bfloat16>(lines, a, b, out);
    case DType::kFloat32:
      return linear_scan_as<float>(lines, a, b, out);
    case DType::kFloat64:
      return linear_scan_as<double>(lines, a, b, out);
    case DType::kComplex64:
      return linear_scan_as<complex64>(lines, a, b, out);
    default:
      return linear_scan_as<complex128>(lines, a, b, out);
  }
}

}  // namespace penstock::kernels
