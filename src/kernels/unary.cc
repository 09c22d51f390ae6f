#include "kernels/unary.h"

#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/half.h"
#include "kernels/math.h"

#define HWY_TARGET_INCLUDE "kernels/unary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_UNARY_FUNCTIONS
#define PENSTOCK_KERNELS_UNARY_FUNCTIONS
namespace penstock::kernels {

template <typename T>
constexpr bool is_complex = kComplexTypes.has(kDTypeOf<T>);

// Each function with the dtypes that it is for; half types come from float32.
struct Negative {
  static constexpr DTypeSet kTypes = kSignedTypes | kFloatTypes;
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
  static constexpr DTypeSet kTypes = kComplexTypes;
  template <typename T>
  static T call(T x) {
    return std::conj(x);
  }
};
struct Abs {
  static constexpr DTypeSet kTypes = kSignedTypes | kRealFloatTypes;
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
  static constexpr DTypeSet kTypes = kSignedTypes | kFloatTypes;
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
  static constexpr DTypeSet kTypes = kNumberTypes;
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
struct Sqrt {
  static constexpr DTypeSet kTypes = kFloatTypes;
  template <typename T>
  static T call(T x) {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  static constexpr DTypeSet kTypes = kFloatTypes;
  template <typename T>
  static T call(T x) {
    return T(1) / std::sqrt(x);
  }
};
struct Reciprocal {
  static constexpr DTypeSet kTypes = kFloatTypes;
  template <typename T>
  static T call(T x) {
    return T(1) / x;
  }
};
struct Relu {
  static constexpr DTypeSet kTypes = kRealTypes;
  template <typename T>
  static T call(T x) {
    return x < T(0) ? T(0) : x;  // keeps NaN
  }
};
struct Floor {
  static constexpr DTypeSet kTypes = kRealFloatTypes;
  template <typename T>
  static T call(T x) {
    return std::floor(x);
  }
};
struct Ceil {
  static constexpr DTypeSet kTypes = kRealFloatTypes;
  template <typename T>
  static T call(T x) {
    return std::ceil(x);
  }
};
struct Round {
  static constexpr DTypeSet kTypes = kRealFloatTypes;
  template <typename T>
  static T call(T x) {
    return std::nearbyint(x);
  }
};

// Nothing but what comes from float32.
struct Halves {
  static constexpr DTypeSet kTypes = {};
};

// The complex ones of the functions whose real ones are in math.cc.
#define PEN_COMPLEX(Name, expression)                 \
  struct Complex##Name {                              \
    static constexpr DTypeSet kTypes = kComplexTypes; \
    template <typename T>                             \
    static T call(T x) {                              \
      return expression;                              \
    }                                                 \
  };
PEN_COMPLEX(Exp, std::exp(x))
PEN_COMPLEX(Log, std::log(x))
PEN_COMPLEX(Log1p, std::log(T(1) + x))
PEN_COMPLEX(Sin, std::sin(x))
PEN_COMPLEX(Cos, std::cos(x))
PEN_COMPLEX(Tanh, std::tanh(x))
PEN_COMPLEX(Sigmoid, T(1) / (T(1) + std::exp(-x)))
#undef PEN_COMPLEX

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <typename Function, typename T>
UnaryLoop pick() {
  if constexpr (Function::kTypes.has(kDTypeOf<T>)) {
    return unary<Function, T>;
  } else {
    return nullptr;
  }
}

template <typename Function>
UnaryLoop find_fast(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return pick<Function, float>();
    case DType::kFloat64:
      return pick<Function, double>();
    case DType::kInt32:
      return pick<Function, int32_t>();
    case DType::kInt64:
      return pick<Function, int64_t>();
    default:
      return nullptr;
  }
}

UnaryLoop fast_loop(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::kNegative:
      return find_fast<Negative>(dtype);
    case UnaryOp::kAbs:
      return find_fast<Abs>(dtype);
    case UnaryOp::kSign:
      return find_fast<Sign>(dtype);
    case UnaryOp::kSquare:
      return find_fast<Square>(dtype);
    case UnaryOp::kSqrt:
      return find_fast<Sqrt>(dtype);
    case UnaryOp::kRsqrt:
      return find_fast<Rsqrt>(dtype);
    case UnaryOp::kReciprocal:
      return find_fast<Reciprocal>(dtype);
    case UnaryOp::kRelu:
      return find_fast<Relu>(dtype);
    case UnaryOp::kFloor:
      return find_fast<Floor>(dtype);
    case UnaryOp::kCeil:
      return find_fast<Ceil>(dtype);
    case UnaryOp::kRound:
      return find_fast<Round>(dtype);
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

template <UnaryOp op, typename Half>
void half_loop(const void* x, void* out, int64_t n) {
  unary_in_float<Half>(unary_loop(op, DType::kFloat32), x, out, n);
}

// The dtypes that are not worth a loop per target.
template <UnaryOp op, typename Function>
UnaryLoop find(DType dtype) {
  using HWY_NAMESPACE::pick;
  switch (dtype) {
    case DType::kInt8:
      return pick<Function, int8_t>();
    case DType::kInt16:
      return pick<Function, int16_t>();
    case DType::kUInt8:
      return pick<Function, uint8_t>();
    case DType::kUInt16:
      return pick<Function, uint16_t>();
    case DType::kUInt32:
      return pick<Function, uint32_t>();
    case DType::kUInt64:
      return pick<Function, uint64_t>();
    case DType::kFloat16:
      return half_loop<op, float16>;
    case DType::kBFloat16:
      return half_loop<op, bfloat16>;
    case DType::kComplex64:
      return pick<Function, complex64>();
    case DType::kComplex128:
      return pick<Function, complex128>();
    default:
      return nullptr;
  }
}

UnaryLoop other_loop(UnaryOp op, DType dtype) {
  switch (op) {
#define PEN_CASE(name, Function) \
  case UnaryOp::name:            \
    return find<UnaryOp::name, Function>(dtype);
    PEN_CASE(kNegative, Negative)
    PEN_CASE(kConj, Conj)
    PEN_CASE(kAbs, Abs)
    PEN_CASE(kSign, Sign)
    PEN_CASE(kSquare, Square)
    PEN_CASE(kSqrt, Sqrt)
    PEN_CASE(kRsqrt, Rsqrt)
    PEN_CASE(kReciprocal, Reciprocal)
    PEN_CASE(kRelu, Relu)
    PEN_CASE(kFloor, Floor)
    PEN_CASE(kCeil, Ceil)
    PEN_CASE(kRound, Round)
    PEN_CASE(kExp, ComplexExp)
    PEN_CASE(kLog, ComplexLog)
    PEN_CASE(kLog1p, ComplexLog1p)
    PEN_CASE(kSin, ComplexSin)
    PEN_CASE(kCos, ComplexCos)
    PEN_CASE(kTanh, ComplexTanh)
    PEN_CASE(kSigmoid, ComplexSigmoid)
    PEN_CASE(kErf, Halves)
#undef PEN_CASE
  }
  return nullptr;
}

}  // namespace

UnaryLoop unary_loop(UnaryOp op, DType dtype) noexcept {
  const UnaryLoop fast =
      op < UnaryOp::kExp ? HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype) : math_loop(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

}  // namespace penstock::kernels
#endif
