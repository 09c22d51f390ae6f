#include "kernels/pair_rows.h"

#define HWY_TARGET_INCLUDE "kernels/pair_rows.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kVectors, class D, typename T>
HWY_INLINE void add_block(D d, const T* a, const T* b, const Pairs& pairs, int64_t c, T* sums) {
  const size_t n = hn::Lanes(d);
  hn::Vec<D> totals[kVectors];
  for (size_t v = 0; v < kVectors; ++v) totals[v] = hn::LoadU(d, sums + c + v * n);
  for (int64_t i = 0; i < pairs.count; ++i) {
    const T* x = a + pairs.from_a[i] + c;
    const T* y = b + pairs.from_b[i] + c;
    for (size_t v = 0; v < kVectors; ++v) {
      totals[v] = hn::MulAdd(hn::LoadU(d, x + v * n), hn::LoadU(d, y + v * n), totals[v]);
    }
  }
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(totals[v], d, sums + c + v * n);
}

template <typename T>
HWY_INLINE void add_all(const T* a, const T* b, const Pairs& pairs, int64_t n, T* sums) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + 4 * lanes <= n; c += 4 * lanes) add_block<4>(d, a, b, pairs, c, sums);
  for (; c + lanes <= n; c += lanes) add_block<1>(d, a, b, pairs, c, sums);
  for (; c < n; ++c) add_block<1>(hn::CappedTag<T, 1>(), a, b, pairs, c, sums);
}
void AddF32(const float* a, const float* b, const Pairs& pairs, int64_t n, float* sums) {
  add_all(a, b, pairs, n, sums);
}
void AddF64(const double* a, const double* b, const Pairs& pairs, int64_t n, double* sums) {
  add_all(a, b, pairs, n, sums);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(AddF32);
HWY_EXPORT(AddF64);

void add_products(const float* a, const float* b, const Pairs& pairs, int64_t n, float* sums) {
  HWY_DYNAMIC_DISPATCH(AddF32)(a, b, pairs, n, sums);
}
void add_products(const double* a, const double* b, const Pairs& pairs, int64_t n, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddF64)(a, b, pairs, n, sums);
}

}  // namespace penstock::kernels
#endif
