#include "kernels/unary.h"

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "kernels/half.h"

#define HWY_TARGET_INCLUDE "kernels/unary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_UNARY_FUNCTIONS
#define PENSTOCK_KERNELS_UNARY_FUNCTIONS
namespace penstock::kernels {

inline constexpr DTypeSet kRealPlain = DTypeSet(DType::kFloat32) | DType::kFloat64;
inline constexpr DTypeSet kPlain = kRealPlain | kComplexTypes;

template <typename T>
constexpr bool is_complex = kComplexTypes.has(kDTypeOf<T>);

// A function that is one expression of `x`, of type T.
#define PEN_FUNCTION(Name, types, expression) \
  struct Name {                               \
    static constexpr DTypeSet kTypes = types; \
    template <typename T>                     \
    static auto call(T x) {                   \
      return expression;                      \
    }                                         \
  };
PEN_FUNCTION(Conj, kComplexTypes, std::conj(x))
PEN_FUNCTION(Sqrt, kPlain, std::sqrt(x))
PEN_FUNCTION(Rsqrt, kPlain, T(1) / std::sqrt(x))
PEN_FUNCTION(Reciprocal, kPlain, T(1) / x)
PEN_FUNCTION(Relu, kIntTypes | kRealPlain, x < T(0) ? T(0) : x)  // keeps NaN
PEN_FUNCTION(Relu6, kIntTypes | kRealPlain, x < T(0) ? T(0) : (x > T(6) ? T(6) : x))
PEN_FUNCTION(Softsign, kRealPlain, x / (T(1) + std::abs(x)))
PEN_FUNCTION(Floor, kRealPlain, std::floor(x))
PEN_FUNCTION(Ceil, kRealPlain, std::ceil(x))
PEN_FUNCTION(Round, kRealPlain, std::nearbyint(x))
PEN_FUNCTION(Invert, kIntTypes, static_cast<T>(~x))
PEN_FUNCTION(PopulationCount, kIntTypes,
             static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(x))))
PEN_FUNCTION(Real, kComplexTypes, x.real())
PEN_FUNCTION(Imag, kComplexTypes, x.imag())
PEN_FUNCTION(ComplexAbs, kComplexTypes, std::abs(x))
PEN_FUNCTION(IsNan, kRealPlain, x != x)
PEN_FUNCTION(IsInf, kRealPlain, std::abs(x) == std::numeric_limits<T>::infinity())
PEN_FUNCTION(IsFinite, kRealPlain, std::abs(x) < std::numeric_limits<T>::infinity())
PEN_FUNCTION(LogicalNot, DType::kBool, !x)
#undef PEN_FUNCTION

struct Negative {
  static constexpr DTypeSet kTypes = kSignedTypes | kPlain;
  template <typename T>
  static T call(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
    } else {
      return -x;
    }
  }
};
struct Abs {
  static constexpr DTypeSet kTypes = kSignedTypes | kRealPlain;
  template <typename T>
  static T call(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Negative::call(x) : x;
    } else {
      return std::abs(x);
    }
  }
};
struct Sign {
  static constexpr DTypeSet kTypes = kSignedTypes | kPlain;
  template <typename T>
  static T call(T x) {
    if constexpr (is_complex<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>((x > 0) - (x < 0));
    } else {
      const T sign = x > 0 ? T(1) : x < 0 ? T(-1) : T(0);
      return x != x ? x : sign;
    }
  }
};
struct Square {
  static constexpr DTypeSet kTypes = kIntTypes | kPlain;
  template <typename T>
  static T call(T x) {
    if constexpr (std::is_integral_v<T>) {
      const auto word = static_cast<uint64_t>(x);
      return static_cast<T>(word * word);
    } else {
      return x * x;
    }
  }
};

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <template <class, typename> class Kind>
typename Kind<Negative, float>::Loop find_fast_op(UnaryOp op, DType dtype) {
  switch (op) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return find_fast<Kind, Name>(dtype);
    PEN_SIMPLE_UNARY_OPS(PEN_CASE)
    PEN_TEST_UNARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

UnaryLoop fast_loop(UnaryOp op, DType dtype) { return find_fast_op<Unary>(op, dtype); }
ScalarFn fast_scalar(UnaryOp op, DType dtype) { return find_fast_op<UnaryScalar>(op, dtype); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(fast_loop);
HWY_EXPORT(fast_scalar);

UnaryLoop other_loop(UnaryOp op, DType dtype) {
  using namespace HWY_NAMESPACE;
  switch (op) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return find_other<Unary, Name>(dtype);
    PEN_SIMPLE_UNARY_OPS(PEN_CASE)
    PEN_TEST_UNARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

template <UnaryOp op, typename Half, typename Out>
void in_float(const void* x, void* out, int64_t n) {
  unary_in_float<Half, Out>(unary_loop(op, DType::kFloat32), x, out, n);
}

// In the order of the enum.
constexpr UnaryLoop kHalfLoops[][2] = {
#define PEN_HALVES(Name) \
  {in_float<UnaryOp::k##Name, float16, float16>, in_float<UnaryOp::k##Name, bfloat16, bfloat16>},
#define PEN_HALF_TESTS(Name) \
  {in_float<UnaryOp::k##Name, float16, bool>, in_float<UnaryOp::k##Name, bfloat16, bool>},
    PEN_SIMPLE_UNARY_OPS(PEN_HALVES) PEN_TEST_UNARY_OPS(PEN_HALF_TESTS)
        PEN_VECTOR_UNARY_OPS(PEN_HALVES) PEN_SLOW_UNARY_OPS(PEN_HALVES)
#undef PEN_HALF_TESTS
#undef PEN_HALVES
};

}  // namespace

UnaryLoop unary_loop(UnaryOp op, DType dtype) noexcept {
  if (kHalfTypes.has(dtype)) {
    if (unary_loop(op, DType::kFloat32) == nullptr) return nullptr;
    return kHalfLoops[static_cast<int>(op)][dtype == DType::kBFloat16];
  }
  if (op > UnaryOp::kLogicalNot) {
    const UnaryLoop vectors = vector_unary_loop(op, dtype);
    return vectors != nullptr ? vectors : slow_unary_loop(op, dtype);
  }
  const UnaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

ScalarFn unary_scalar(UnaryOp op, DType dtype) noexcept {
  if (op == UnaryOp::kLogicalNot) return HWY_NAMESPACE::UnaryScalar<LogicalNot, bool>::run;
  return HWY_DYNAMIC_DISPATCH(fast_scalar)(op, dtype);
}

}  // namespace penstock::kernels
#endif
