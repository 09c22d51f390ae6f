#include "kernels/counting.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"
#include "kernels/indices.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 14;  // searches a thread should do, at least

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
  } else {
    return a + b;
  }
}

template <typename T>
void count_rows(const View& values, int64_t rows, int64_t size, const View* weights, bool binary,
                T* out) {
  std::memset(out, 0, static_cast<size_t>(rows * size) * sizeof(T));
  const int64_t width = rows == 0 ? 0 : values.size() / rows;
  for (int64_t i = 0; i < rows * width; ++i) {
    const int64_t value = index_at(values, i);
    if (value >= size) continue;
    T& bin = out[i / width * size + value];
    if (binary) {
      bin = T(1);
    } else {
      bin = plus(bin, weights == nullptr ? T(1) : weights->as<T>()[i]);
    }
  }
}

template <typename T>
bool has_nan(const T* values, int64_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    bool found = false;
    for (int64_t i = 0; i < count; ++i) found |= values[i] != values[i];
    return found;
  }
  return false;
}

template <typename T, typename Count>
bool count_bins(const View& view, double low, double high, int64_t bins, Count* out) {
  const T* values = view.as<T>();
  const int64_t count = view.size();
  if (has_nan(values, count)) return false;
  std::memset(out, 0, static_cast<size_t>(bins) * sizeof(Count));
  const double step = (high - low) / static_cast<double>(bins);
  const auto last = static_cast<double>(bins - 1);
  for (int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(values[i]);
    const double bin = std::min((std::max(value, low) - low) / step, last);
    ++out[static_cast<int64_t>(bin >= 0 ? bin : 0)];
  }
  return true;
}

template <typename T>
bool count_in(const View& values, double low, double high, int64_t bins, const View& out) {
  return out.dtype == DType::kInt32 ? count_bins<T>(values, low, high, bins, out.as<int32_t>())
                                    : count_bins<T>(values, low, high, bins, out.as<int64_t>());
}

// The first of `width` sorted elements for which `goes_before` is false.
template <typename GoesBefore>
int64_t partition_point(int64_t width, const GoesBefore& goes_before) {
  int64_t begin = 0;
  int64_t size = width;
  while (size > 0) {
    const int64_t half = size / 2;
    const bool right = goes_before(begin + half);
    begin = right ? begin + half + 1 : begin;
    size = right ? size - half - 1 : half;
  }
  return begin;
}

template <typename T>
void find_bounds(const View& sorted_view, int64_t rows, int64_t width, const View& value_view,
                 int64_t count, bool upper, const View& out) {
  const T* sorted = sorted_view.as<T>();
  const T* values = value_view.as<T>();
  parallel_for(rows * count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* row = sorted + i / count * width;
      const auto value = static_cast<Plain<T>>(values[i]);
      const auto at = [&](int64_t k) { return static_cast<Plain<T>>(row[k]); };
      const int64_t found =
          upper ? partition_point(width, [&](int64_t k) { return !(value < at(k)); })
                : partition_point(width, [&](int64_t k) { return at(k) < value; });
      if (out.dtype == DType::kInt32) {
        out.as<int32_t>()[i] = static_cast<int32_t>(found);
      } else {
        out.as<int64_t>()[i] = found;
      }
    }
  });
}

}  // namespace

void bincount(const View& values, int64_t rows, int64_t size, const View* weights, bool binary,
              const View& out) {
  switch (out.dtype) {
    case DType::kInt32:
      return count_rows(values, rows, size, weights, binary, out.as<int32_t>());
    case DType::kInt64:
      return count_rows(values, rows, size, weights, binary, out.as<int64_t>());
    case DType::kFloat32:
      return count_rows(values, rows, size, weights, binary, out.as<float>());
    default:
      return count_rows(values, rows, size, weights, binary, out.as<double>());
  }
}

bool histogram(const View& values, double low, double high, int64_t bins, const View& out) {
  switch (values.dtype) {
    case DType::kInt32:
      return count_in<int32_t>(values, low, high, bins, out);
    case DType::kInt64:
      return count_in<int64_t>(values, low, high, bins, out);
    case DType::kFloat32:
      return count_in<float>(values, low, high, bins, out);
    default:
      return count_in<double>(values, low, high, bins, out);
  }
}

void bounds(const View& sorted, int64_t rows, int64_t width, const View& values, int64_t count,
            bool upper, const View& out) {
  switch (sorted.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return find_bounds<T>(sorted, rows, width, values, count, upper, out);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

void in_top_k(const View& predictions, const View& targets, int64_t k, bool* out) {
  const int64_t rows = predictions.shape[0];
  const int64_t classes = predictions.shape[1];
  for (int64_t row = 0; row < rows; ++row) {
    const float* scores = predictions.as<float>() + row * classes;
    const int64_t target = index_at(targets, row);
    bool known = target >= 0 && target < classes && std::isfinite(scores[target]);
    int64_t better = 0;
    for (int64_t c = 0; known && c < classes; ++c) {
      known = std::isfinite(scores[c]);
      better += scores[c] > scores[target] ? 1 : 0;
    }
    out[row] = known && better < k;
  }
}

}  // namespace penstock::kernels
