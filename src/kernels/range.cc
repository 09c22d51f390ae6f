#include "kernels/range.h"

#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 17;  // elements a thread should have at least

// Integers count in unsigned numbers, which may wrap around; the values themselves never do.
template <typename T>
using Arithmetic = std::conditional_t<std::is_integral_v<T>, uint64_t, Plain<T>>;

template <typename T>
void fill_range(const void* start, const void* delta, const View& out) {
  const auto first = static_cast<Arithmetic<T>>(*static_cast<const T*>(start));
  const auto step = static_cast<Arithmetic<T>>(*static_cast<const T*>(delta));
  T* to = out.as<T>();
  parallel_for(out.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<T>(first + static_cast<Arithmetic<T>>(i) * step);
    }
  });
}

}  // namespace

void range(const void* start, const void* delta, const View& out) {
  switch (out.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return fill_range<T>(start, delta, out);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace penstock::kernels
