#include "kernels/half.h"

#define HWY_TARGET_INCLUDE "kernels/half.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Hardware conversions, if available; returns the number of elements converted.
int64_t vectors_to_float(const float16* x, float* out, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<float> wide;
  const hn::Rebind<hwy::float16_t, decltype(wide)> narrow;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  const auto* halves = reinterpret_cast<const hwy::float16_t*>(x);
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::PromoteTo(wide, hn::LoadU(narrow, halves + i)), wide, out + i);
  }
#else
  static_cast<void>(x), static_cast<void>(out), static_cast<void>(n);
#endif
  return i;
}

int64_t vectors_from_float(const float* x, float16* out, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<float> wide;
  const hn::Rebind<hwy::float16_t, decltype(wide)> narrow;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  auto* halves = reinterpret_cast<hwy::float16_t*>(out);
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::DemoteTo(narrow, hn::LoadU(wide, x + i)), narrow, halves + i);
  }
#else
  static_cast<void>(x), static_cast<void>(out), static_cast<void>(n);
#endif
  return i;
}

void float16_to_float(const float16* x, float* out, int64_t n) {
  for (int64_t i = vectors_to_float(x, out, n); i < n; ++i) out[i] = x[i];
}
void float_to_float16(const float* x, float16* out, int64_t n) {
  for (int64_t i = vectors_from_float(x, out, n); i < n; ++i) out[i] = float16(x[i]);
}
void bfloat16_to_float(const bfloat16* x, float* out, int64_t n) {
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = x[i];
}
void float_to_bfloat16(const float* x, bfloat16* out, int64_t n) {
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = bfloat16(x[i]);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(float16_to_float);
HWY_EXPORT(float_to_float16);
HWY_EXPORT(bfloat16_to_float);
HWY_EXPORT(float_to_bfloat16);

void to_float(const float16* x, float* out, int64_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(float16_to_float)(x, out, n);
}
void to_float(const bfloat16* x, float* out, int64_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(bfloat16_to_float)(x, out, n);
}
void from_float(const float* x, float16* out, int64_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(float_to_float16)(x, out, n);
}
void from_float(const float* x, bfloat16* out, int64_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(float_to_bfloat16)(x, out, n);
}

}  // namespace penstock::kernels
#endif
