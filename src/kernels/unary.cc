#include "kernels/unary.h"

#include <complex>
#include <type_traits>

#include "kernels/half.h"

#define HWY_TARGET_INCLUDE "kernels/unary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_UNARY_FUNCTIONS
#define PENSTOCK_KERNELS_UNARY_FUNCTIONS
namespace penstock::kernels {

struct Negative {
  template <typename T>
  static T call(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
    } else {
      return -x;
    }
  }
};
struct Conj {
  template <typename T>
  static T call(T x) {
    return std::conj(x);
  }
};

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <typename Function>
UnaryLoop find_fast(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return unary<Function, float>;
    case DType::kFloat64:
      return unary<Function, double>;
    case DType::kInt32:
      return unary<Function, int32_t>;
    case DType::kInt64:
      return unary<Function, int64_t>;
    default:
      return nullptr;
  }
}

UnaryLoop fast_loop(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::kNegative:
      return find_fast<Negative>(dtype);
    default:
      return nullptr;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(fast_loop);

template <typename Function>
UnaryLoop find_complex(DType dtype) {
  using HWY_NAMESPACE::unary;
  if (dtype == DType::kComplex64) return unary<Function, complex64>;
  return dtype == DType::kComplex128 ? unary<Function, complex128> : nullptr;
}

template <UnaryOp op, typename Half>
void half_loop(const void* x, void* out, int64_t n) {
  unary_in_float<Half>(unary_loop(op, DType::kFloat32), x, out, n);
}

template <UnaryOp op>
UnaryLoop find_half(DType dtype) {
  if (dtype == DType::kFloat16) return half_loop<op, float16>;
  return dtype == DType::kBFloat16 ? half_loop<op, bfloat16> : nullptr;
}

template <typename Function>
UnaryLoop find_small_signed(DType dtype) {
  using HWY_NAMESPACE::unary;
  if (dtype == DType::kInt8) return unary<Function, int8_t>;
  return dtype == DType::kInt16 ? unary<Function, int16_t> : nullptr;
}

UnaryLoop other_loop(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::kNegative:
      if (kHalfTypes.has(dtype)) return find_half<UnaryOp::kNegative>(dtype);
      if (kComplexTypes.has(dtype)) return find_complex<Negative>(dtype);
      return find_small_signed<Negative>(dtype);
    case UnaryOp::kConj:
      return find_complex<Conj>(dtype);
  }
  return nullptr;
}

}  // namespace

UnaryLoop unary_loop(UnaryOp op, DType dtype) noexcept {
  const UnaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

}  // namespace penstock::kernels
#endif
