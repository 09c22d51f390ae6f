// Exponentials for kernels with a known range, compiled for each target.
#if defined(PENSTOCK_KERNELS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_EXP_INL_H_
#undef PENSTOCK_KERNELS_EXP_INL_H_
#else
#define PENSTOCK_KERNELS_EXP_INL_H_
#endif

#include <hwy/highway.h>
// After highway.h:
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

// e to the power of x, for x of at most 0. Subnormal results are 0, and NaN stays.
template <class D, class V>
HWY_INLINE V float_exp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  // Adding `shift` leaves x / log(2), rounded, in the low bits, with a float's bias on top.
  const auto shift = hn::Set(d, 0x1.8p23f + 127.0f);
  const auto lowest = hn::Set(d, -87.33f);
  const auto bounded = hn::Max(x, lowest);
  const auto t = hn::MulAdd(bounded, hn::Set(d, 1.44269504f), shift);
  const auto n = hn::Sub(t, shift);
  auto r = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), bounded);
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860677e-6f), r);
  auto p = hn::MulAdd(hn::Set(d, 0.00139304355f), r, hn::Set(d, 0.00833336077f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0416664853f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.166666671f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(p, hn::Mul(r, r), r);
  const hn::RebindToSigned<D> di;
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, t)));
  const auto y = hn::MulAdd(p, power, power);
  return hn::IfThenElse(hn::Ge(x, lowest), y, hn::IfThenElseZero(hn::IsNaN(x), x));
}
template <class D, class V>
HWY_INLINE V exp_of_negative(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (sizeof(hn::TFromD<D>) == 4) return float_exp(d, x);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
