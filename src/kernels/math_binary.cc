// Powers of floats, on vectors of double.
#include "kernels/binary.h"

#define HWY_TARGET_INCLUDE "kernels/math_binary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

// |x|^y of double vectors, with the results of pow for negative, infinite and NaN operands.
struct Power {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x, V<D> y) {
    const auto one = number(d, 1);
    const auto size = hn::Abs(x);
    auto power = Exp::call(d, hn::Mul(y, Log::call(d, size)));
    const auto is_whole = hn::Eq(y, hn::Floor(y));
    const auto half = hn::Mul(y, number(d, 0.5));
    const auto is_odd = hn::And(is_whole, hn::Ne(half, hn::Floor(half)));
    power = hn::IfThenElse(is_odd, hn::CopySign(power, x), power);
    const auto is_negative = hn::And(hn::Lt(x, hn::Zero(d)), hn::Lt(hn::Neg(infinity(d)), x));
    power = hn::IfThenElse(hn::AndNot(is_whole, is_negative), hn::NaN(d), power);
    const auto turns = hn::And(hn::Eq(x, hn::Neg(one)), hn::Eq(hn::Abs(y), infinity(d)));
    power = hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenElse(hn::IsNaN(y), y, power));
    return hn::IfThenElse(hn::Or(hn::Or(hn::Eq(x, one), hn::Eq(y, hn::Zero(d))), turns), one,
                          power);
  }
};

// Rounds to float, beyond its range to infinity. Highway's plain C++ targets would return the
// largest float there.
template <class D, class Wide>
HWY_INLINE hn::Vec<D> narrowed(D d, Wide wide, hn::Vec<Wide> v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  HWY_ALIGN double from[hn::MaxLanes(wide)];
  HWY_ALIGN float to[hn::MaxLanes(d)];
  hn::Store(v, wide, from);
  for (size_t i = 0; i < hn::Lanes(wide); ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(d, to);
#else
  static_cast<void>(wide);
  return hn::DemoteTo(d, v);
#endif
}

// Powers of floats are computed in double, where the logarithm is accurate enough for the exponent.
HWY_ATTR void float_powers(const void* x_data, const void* y_data, void* out_data, int64_t n,
                           int stride_x, int stride_y) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(wide));
  const float* x = static_cast<const float*>(x_data);
  const float* y = static_cast<const float*>(y_data);
  float* out = static_cast<float*>(out_data);
  if (stride_y == 0 && *y == 2) {  // most powers are squares
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
    return;
  }
  const auto power = [&](auto left, auto right) HWY_ATTR {
    return narrowed(d, wide,
                    Power::call(wide, hn::PromoteTo(wide, left), hn::PromoteTo(wide, right)));
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(power(load(d, x, i, stride_x), load(d, y, i, stride_y)), d, out + i);
  }
  for (; i < n; ++i) {
    const auto one = power(hn::Set(d, x[i * stride_x]), hn::Set(d, y[i * stride_y]));
    out[i] = hn::GetLane(one);
  }
}

BinaryLoop vector_loop(BinaryOp op, bool is_float) {
  return op == BinaryOp::kPower && is_float ? float_powers : nullptr;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(vector_loop);

BinaryLoop vector_binary_loop(BinaryOp op, DType dtype) noexcept {
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return nullptr;
  return HWY_DYNAMIC_DISPATCH(vector_loop)(op, dtype == DType::kFloat32);
}

}  // namespace penstock::kernels
#endif
