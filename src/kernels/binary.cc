#include "kernels/binary.h"

#include <complex>
#include <type_traits>

#include "kernels/half.h"
#include "kernels/slow_binary.h"

#define HWY_TARGET_INCLUDE "kernels/binary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_BINARY_FUNCTIONS
#define PENSTOCK_KERNELS_BINARY_FUNCTIONS
namespace penstock::kernels {

// Integers are added and multiplied as unsigned numbers, which wrap around, of at least the width
// of int, to which narrower ones would be promoted.
template <typename T>
using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
constexpr bool is_complex = kComplexTypes.has(kDTypeOf<T>);

#define PEN_WRAPPING(Name, symbol)                                                     \
  struct Name {                                                                        \
    template <typename T>                                                              \
    static T call(T x, T y) {                                                          \
      if constexpr (std::is_integral_v<T>) {                                           \
        return static_cast<T>(static_cast<Word<T>>(x) symbol static_cast<Word<T>>(y)); \
      } else {                                                                         \
        return x symbol y;                                                             \
      }                                                                                \
    }                                                                                  \
  };
PEN_WRAPPING(Add, +)
PEN_WRAPPING(Subtract, -)
PEN_WRAPPING(Multiply, *)
#undef PEN_WRAPPING

struct Divide {
  template <typename T>
  static T call(T x, T y) {
    return x / y;
  }
};
struct SquaredDifference {
  template <typename T>
  static T call(T x, T y) {
    const T difference = Subtract::call(x, y);
    if constexpr (is_complex<T>) {
      return std::norm(difference);
    } else {
      return Multiply::call(difference, difference);
    }
  }
};
struct Maximum {
  template <typename T>
  static T call(T x, T y) {
    return x > y || x != x ? x : y;
  }
};
struct Minimum {
  template <typename T>
  static T call(T x, T y) {
    return x < y || x != x ? x : y;
  }
};
struct ReluGrad {
  template <typename T>
  static T call(T x, T y) {
    return y > T(0) ? x : T(0);
  }
};

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <typename Function>
BinaryLoop find_fast(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return binary<Function, float>;
    case DType::kFloat64:
      return binary<Function, double>;
    case DType::kInt32:
      return binary<Function, int32_t>;
    case DType::kInt64:
      return binary<Function, int64_t>;
    default:
      return nullptr;
  }
}

BinaryLoop fast_loop(BinaryOp op, DType dtype) {
  switch (op) {
    case BinaryOp::kAdd:
      return find_fast<Add>(dtype);
    case BinaryOp::kSubtract:
      return find_fast<Subtract>(dtype);
    case BinaryOp::kMultiply:
      return find_fast<Multiply>(dtype);
    case BinaryOp::kDivide:
      if (dtype == DType::kFloat32) return binary<Divide, float>;
      return dtype == DType::kFloat64 ? binary<Divide, double> : nullptr;
    case BinaryOp::kSquaredDifference:
      return find_fast<SquaredDifference>(dtype);
    case BinaryOp::kMaximum:
      return find_fast<Maximum>(dtype);
    case BinaryOp::kMinimum:
      return find_fast<Minimum>(dtype);
    case BinaryOp::kReluGrad:
      return find_fast<ReluGrad>(dtype);
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

template <BinaryOp op, typename Half>
void half_loop(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y) {
  binary_in_float<Half>(binary_loop(op, DType::kFloat32), x, y, out, n, stride_x, stride_y);
}

template <typename Function>
BinaryLoop find_complex(DType dtype) {
  using HWY_NAMESPACE::binary;
  if (dtype == DType::kComplex64) return binary<Function, complex64>;
  return dtype == DType::kComplex128 ? binary<Function, complex128> : nullptr;
}

// The dtypes that are not worth a loop per target. Wrapping arithmetic is the same for signed and
// unsigned integers.
template <typename Function>
BinaryLoop find_wrapping(DType dtype) {
  using HWY_NAMESPACE::binary;
  switch (dtype) {
    case DType::kInt8:
    case DType::kUInt8:
      return binary<Function, uint8_t>;
    case DType::kInt16:
    case DType::kUInt16:
      return binary<Function, uint16_t>;
    case DType::kUInt32:
      return binary<Function, uint32_t>;
    case DType::kUInt64:
      return binary<Function, uint64_t>;
    default:
      return find_complex<Function>(dtype);
  }
}

template <typename Function>
BinaryLoop find_ordered(DType dtype) {
  using HWY_NAMESPACE::binary;
  switch (dtype) {
    case DType::kInt8:
      return binary<Function, int8_t>;
    case DType::kUInt8:
      return binary<Function, uint8_t>;
    case DType::kInt16:
      return binary<Function, int16_t>;
    case DType::kUInt16:
      return binary<Function, uint16_t>;
    case DType::kUInt32:
      return binary<Function, uint32_t>;
    case DType::kUInt64:
      return binary<Function, uint64_t>;
    default:
      return nullptr;
  }
}

template <BinaryOp op>
BinaryLoop find_half(DType dtype) {
  return dtype == DType::kFloat16 ? half_loop<op, float16> : half_loop<op, bfloat16>;
}

BinaryLoop half_loop_of(BinaryOp op, DType dtype) {
  switch (op) {
    case BinaryOp::kAdd:
      return find_half<BinaryOp::kAdd>(dtype);
    case BinaryOp::kSubtract:
      return find_half<BinaryOp::kSubtract>(dtype);
    case BinaryOp::kMultiply:
      return find_half<BinaryOp::kMultiply>(dtype);
    case BinaryOp::kDivide:
      return find_half<BinaryOp::kDivide>(dtype);
    case BinaryOp::kSquaredDifference:
      return find_half<BinaryOp::kSquaredDifference>(dtype);
    case BinaryOp::kMaximum:
      return find_half<BinaryOp::kMaximum>(dtype);
    case BinaryOp::kMinimum:
      return find_half<BinaryOp::kMinimum>(dtype);
    case BinaryOp::kReluGrad:
      return find_half<BinaryOp::kReluGrad>(dtype);
    case BinaryOp::kFloorDivide:
      return find_half<BinaryOp::kFloorDivide>(dtype);
    case BinaryOp::kFloorModulo:
      return find_half<BinaryOp::kFloorModulo>(dtype);
    case BinaryOp::kPower:
      return find_half<BinaryOp::kPower>(dtype);
  }
  return nullptr;
}

BinaryLoop other_loop(BinaryOp op, DType dtype) {
  if (kHalfTypes.has(dtype)) return half_loop_of(op, dtype);
  switch (op) {
    case BinaryOp::kAdd:
      return find_wrapping<Add>(dtype);
    case BinaryOp::kSubtract:
      return find_wrapping<Subtract>(dtype);
    case BinaryOp::kMultiply:
      return find_wrapping<Multiply>(dtype);
    case BinaryOp::kDivide:
      return find_complex<Divide>(dtype);
    case BinaryOp::kSquaredDifference:
      return find_wrapping<SquaredDifference>(dtype);
    case BinaryOp::kMaximum:
      return find_ordered<Maximum>(dtype);
    case BinaryOp::kMinimum:
      return find_ordered<Minimum>(dtype);
    case BinaryOp::kReluGrad:
      return find_ordered<ReluGrad>(dtype);
    case BinaryOp::kFloorDivide:
      return floor_divide_loop(dtype);
    case BinaryOp::kFloorModulo:
      return floor_modulo_loop(dtype);
    case BinaryOp::kPower:
      return power_loop(dtype);
  }
  return nullptr;
}

}  // namespace

BinaryLoop binary_loop(BinaryOp op, DType dtype) noexcept {
  const BinaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

}  // namespace penstock::kernels
#endif
