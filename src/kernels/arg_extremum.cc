#include "kernels/arg_extremum.h"

#include <algorithm>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"
#include "kernels/reduce_steps.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements a thread should have at least

struct Lines {
  int64_t outer, n, inner;
  Reduction reduction;  // kMax or kMin
};

template <typename T>
bool is_better(Reduction reduction, T a, T b) {
  return reduction == Reduction::kMax ? a > b : a < b;
}

void put(const View& out, int64_t i, int64_t position) {
  if (out.dtype == DType::kInt32) {
    out.as<int32_t>()[i] = static_cast<int32_t>(position);
  } else {
    out.as<int64_t>()[i] = position;
  }
}

// The first position of `value`, which must occur; scans a block at a time, without a branch.
template <typename T>
int64_t find(const T* x, int64_t n, Plain<T> value) {
  constexpr int64_t kBlock = 32;
  int64_t i = 0;
  for (; i + kBlock < n; i += kBlock) {
    bool found = false;
    for (int64_t k = 0; k < kBlock; ++k) found |= static_cast<Plain<T>>(x[i + k]) == value;
    if (found) break;
  }
  while (i + 1 < n && static_cast<Plain<T>>(x[i]) != value) ++i;
  return i;
}

// A line whose extremum is NaN, one element after the other.
template <typename T>
int64_t find_beside_nan(const T* x, int64_t n, Reduction reduction) {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i) {
    const Plain<T> value = x[i];
    if (value != value) continue;
    if (best < 0 || is_better<Plain<T>>(reduction, value, x[best])) best = i;
  }
  return std::max<int64_t>(best, 0);
}

template <typename T>
void contiguous_lines(const Lines& lines, const T* x, const View& out) {
  const ReduceSteps steps = reduce_steps(lines.reduction, kDTypeOf<T>);
  parallel_for(lines.outer, std::max<int64_t>(1, kGrain / lines.n), [&](int64_t at, int64_t end) {
    for (; at < end; ++at) {
      const T* line = x + at * lines.n;
      Plain<T> best;
      steps.start(&best, 1);
      steps.loops.rows(line, 1, lines.n, lines.n, &best);
      put(out, at,
          best != best ? find_beside_nan(line, lines.n, lines.reduction)
                       : find(line, lines.n, best));
    }
  });
}

// `width` lines next to each other, side by side.
template <typename T>
void strided_tile(const Lines& lines, const T* x, int64_t width, const View& out, int64_t first) {
  Plain<T> best[kTile];
  int64_t position[kTile];
  for (int64_t j = 0; j < width; ++j) {
    best[j] = x[j];
    position[j] = 0;
  }
  for (int64_t i = 1; i < lines.n; ++i) {
    for (int64_t j = 0; j < width; ++j) {
      const Plain<T> value = x[i * lines.inner + j];
      const bool was_nan = best[j] != best[j];
      const bool takes = is_better(lines.reduction, value, best[j]) | (was_nan & (value == value));
      position[j] = takes ? i : position[j];
      best[j] = takes ? value : best[j];
    }
  }
  for (int64_t j = 0; j < width; ++j) put(out, first + j, position[j]);
}

template <typename T>
void find_extrema(const Lines& lines, const View& view, const View& out) {
  const T* x = view.as<T>();
  if (lines.inner == 1) return contiguous_lines(lines, x, out);
  const int64_t tiles = (lines.inner + kTile - 1) / kTile;
  const int64_t work = lines.n * std::min(lines.inner, kTile);
  parallel_for(
      lines.outer * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t t, int64_t end) {
        for (; t < end; ++t) {
          const int64_t outer = t / tiles;
          const int64_t column = t % tiles * kTile;
          strided_tile(lines, x + outer * lines.n * lines.inner + column,
                       std::min(kTile, lines.inner - column), out, outer * lines.inner + column);
        }
      });
}

}  // namespace

void arg_extremum(bool largest, const View& x, int axis, const View& out) {
  if (x.size() == 0) return;
  Lines lines{1, x.shape[axis], 1, largest ? Reduction::kMax : Reduction::kMin};
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (i < axis) lines.outer *= x.shape[i];
    if (i > axis) lines.inner *= x.shape[i];
  }
  switch (x.dtype) {
#define PEN_ARG_CASE(T, dtype) \
  case DType::dtype:           \
    return find_extrema<T>(lines, x, out);
    PEN_ARG_CASE(uint8_t, kBool)
    PEN_ARG_CASE(int8_t, kInt8)
    PEN_ARG_CASE(int16_t, kInt16)
    PEN_ARG_CASE(int32_t, kInt32)
    PEN_ARG_CASE(int64_t, kInt64)
    PEN_ARG_CASE(uint8_t, kUInt8)
    PEN_ARG_CASE(uint16_t, kUInt16)
    PEN_ARG_CASE(uint32_t, kUInt32)
    PEN_ARG_CASE(uint64_t, kUInt64)
    PEN_ARG_CASE(float16, kFloat16)
    PEN_ARG_CASE(bfloat16, kBFloat16)
    PEN_ARG_CASE(float, kFloat32)
    PEN_ARG_CASE(double, kFloat64)
#undef PEN_ARG_CASE
    default:
      return;
  }
}

}  // namespace penstock::kernels
