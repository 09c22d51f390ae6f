#include "kernels/top_k.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/sort.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // the least elements per thread

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

constexpr int32_t kBlock = 16;  // elements that are compared at once

// Whether x may come before `worst`, which has an earlier position: equal numbers do not, NaN does.
template <typename T>
bool may_precede(T x, T worst) {
  if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
    return !(static_cast<float>(x) <= static_cast<float>(worst));
  } else {
    return !(x <= worst);
  }
}

// Without branches, so that most blocks of a long row pass quickly.
template <typename T>
bool any_may_precede(const T* block, T worst) {
  int any = 0;
  for (int32_t i = 0; i < kBlock; ++i) any |= may_precede(block[i], worst) ? 1 : 0;
  return any != 0;
}

// Calls better(i) for every i from `begin` on that comes before the worst so far, best[0].
template <typename T, typename Better>
void for_each_better(const Before<T>& before, int32_t begin, int32_t width, const int32_t* best,
                     const Better& better) {
  const T* row = before.row;
  T worst = row[best[0]];
  for (int32_t i = begin; i < width;) {
    const bool is_whole = i <= width - kBlock;
    const int32_t end = is_whole ? i + kBlock : width;
    if (is_whole && !any_may_precede(row + i, worst)) {
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      if (!may_precede(row[i], worst) || !before(i, best[0])) continue;
      better(i);
      worst = row[best[0]];
    }
  }
}

// The best k so far are a heap in `best` with the worst on top. No scratch: the heap is in the
// output.
template <typename T>
void top_k_row(const T* row, int32_t width, int32_t k, T* values, int32_t* best) {
  const Before<T> before{row};
  if (k == 1) {
    best[0] = 0;
    for_each_better(before, 1, width, best, [&](int32_t i) { best[0] = i; });
  } else {
    std::iota(best, best + k, 0);
    if (k < width) {
      std::make_heap(best, best + k, before);
      for_each_better(before, k, width, best, [&](int32_t i) {
        std::pop_heap(best, best + k, before);
        best[k - 1] = i;
        std::push_heap(best, best + k, before);
      });
    }
    std::sort(best, best + k, before);
  }
  for (int32_t i = 0; i < k; ++i) values[i] = row[best[i]];
}

template <typename T>
void top_k_rows(const View& in, int64_t width, int64_t k, const View& values, int32_t* indices,
                void* scratch) {
  const T* from = in.as<T>();
  T* to = values.as<T>();
  if (scratch != nullptr) {
    argsort_rows(in, width, true, k, indices, scratch);
    for (int64_t i = 0; i < in.size() / width * k; ++i) to[i] = from[i / k * width + indices[i]];
    return;
  }
  parallel_for(in.size() / width, std::max<int64_t>(1, kGrain / width),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   top_k_row(from + r * width, static_cast<int32_t>(width), static_cast<int32_t>(k),
                             to + r * k, indices + r * k);
                 }
               });
}

}  // namespace

bool sorts_rows(int64_t width, int64_t k) { return width >= 512 && k >= width / 16; }

void top_k(const View& in, int64_t width, int64_t k, const View& values, int32_t* indices,
           void* scratch) {
  if (in.size() == 0 || k == 0) return;
  switch (in.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return top_k_rows<T>(in, width, k, values, indices, scratch);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace penstock::kernels
