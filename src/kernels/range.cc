#include "kernels/range.h"

#include <type_traits>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 17;  // elements a thread should have at least

// Integers count in unsigned numbers, which may wrap around; the values themselves never do.
template <typename T, typename Arithmetic>
void fill_range(const void* start, const void* delta, const View& out) {
  const auto first = static_cast<Arithmetic>(*static_cast<const T*>(start));
  const auto step = static_cast<Arithmetic>(*static_cast<const T*>(delta));
  T* to = out.as<T>();
  parallel_for(out.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<T>(first + static_cast<Arithmetic>(i) * step);
    }
  });
}

}  // namespace

void range(const void* start, const void* delta, const View& out) {
  switch (out.dtype) {
    case DType::kInt32:
      return fill_range<int32_t, uint32_t>(start, delta, out);
    case DType::kInt64:
      return fill_range<int64_t, uint64_t>(start, delta, out);
    case DType::kFloat32:
      return fill_range<float, float>(start, delta, out);
    default:
      return fill_range<double, double>(start, delta, out);
  }
}

}  // namespace penstock::kernels
