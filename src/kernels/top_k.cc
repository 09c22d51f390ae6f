#include "kernels/top_k.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements a thread should look at, at least

// Whether a comes before b: a strict order also in the presence of NaN.
template <typename T>
struct Before {
  const T* row;
  bool operator()(int32_t a, int32_t b) const {
    if constexpr (std::is_integral_v<T>) {
      return row[a] != row[b] ? row[a] > row[b] : a < b;
    } else {
      using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const auto x = static_cast<Wide>(row[a]);
      const auto y = static_cast<Wide>(row[b]);
      if (x > y) return true;
      if (x < y) return false;
      const bool x_nan = x != x;
      const bool y_nan = y != y;
      return x_nan != y_nan ? x_nan : a < b;
    }
  }
};

// The best k so far are a heap in `best` with the worst of them on top. No scratch: the heap lives
// in the output.
template <typename T>
void top_k_row(const T* row, int32_t width, int32_t k, T* values, int32_t* best) {
  const Before<T> before{row};
  if (k == 1) {
    best[0] = 0;
    for (int32_t i = 1; i < width; ++i) {
      if (before(i, best[0])) best[0] = i;
    }
  } else {
    std::iota(best, best + k, 0);
    if (k < width) {
      std::make_heap(best, best + k, before);
      for (int32_t i = k; i < width; ++i) {
        if (!before(i, best[0])) continue;
        std::pop_heap(best, best + k, before);
        best[k - 1] = i;
        std::push_heap(best, best + k, before);
      }
    }
    std::sort(best, best + k, before);
  }
  for (int32_t i = 0; i < k; ++i) values[i] = row[best[i]];
}

template <typename T>
void top_k_rows(const View& in, int64_t width, int64_t k, const View& values, int32_t* indices) {
  const T* from = in.as<T>();
  T* to = values.as<T>();
  parallel_for(in.size() / width, std::max<int64_t>(1, kGrain / width),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   top_k_row(from + r * width, static_cast<int32_t>(width), static_cast<int32_t>(k),
                             to + r * k, indices + r * k);
                 }
               });
}

}  // namespace

void top_k(const View& in, int64_t width, int64_t k, const View& values, int32_t* indices) {
  if (in.size() == 0 || k == 0) return;
  switch (in.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return top_k_rows<T>(in, width, k, values, indices);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace penstock::kernels
