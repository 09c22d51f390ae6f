#include "kernels/compare.h"

#include "kernels/half.h"

#define HWY_TARGET_INCLUDE "kernels/compare.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_COMPARE_FUNCTIONS
#define PENSTOCK_KERNELS_COMPARE_FUNCTIONS
namespace penstock::kernels {

#define PEN_COMPARE(Name, symbol) \
  struct Name {                   \
    template <typename T>         \
    static bool call(T x, T y) {  \
      return x symbol y;          \
    }                             \
  };
PEN_COMPARE(Equal, ==)
PEN_COMPARE(NotEqual, !=)
PEN_COMPARE(Less, <)
PEN_COMPARE(LessEqual, <=)
PEN_COMPARE(And, &)
PEN_COMPARE(Or, |)
#undef PEN_COMPARE

struct Not {
  static bool call(uint8_t x) { return x == 0; }
};
struct IsNan {
  template <typename T>
  static bool call(T x) {
    return x != x;
  }
  static bool call(float16 x) { return (x.bits & 0x7FFF) > 0x7C00; }
  static bool call(bfloat16 x) { return (x.bits & 0x7FFF) > 0x7F80; }
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
      return binary<Function, float, bool>;
    case DType::kFloat64:
      return binary<Function, double, bool>;
    case DType::kInt32:
      return binary<Function, int32_t, bool>;
    case DType::kInt64:
      return binary<Function, int64_t, bool>;
    default:
      return nullptr;
  }
}

BinaryLoop fast_loop(CompareOp op, DType dtype) {
  switch (op) {
    case CompareOp::kEqual:
      return find_fast<Equal>(dtype);
    case CompareOp::kNotEqual:
      return find_fast<NotEqual>(dtype);
    case CompareOp::kLess:
      return find_fast<Less>(dtype);
    case CompareOp::kLessEqual:
      return find_fast<LessEqual>(dtype);
  }
  return nullptr;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

using HWY_NAMESPACE::binary;
using HWY_NAMESPACE::unary;

HWY_EXPORT(fast_loop);

template <typename Function>
BinaryLoop find_equality(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUInt8:
      return binary<Function, uint8_t, bool>;
    case DType::kInt16:
    case DType::kUInt16:
      return binary<Function, uint16_t, bool>;
    case DType::kUInt32:
      return binary<Function, uint32_t, bool>;
    case DType::kUInt64:
      return binary<Function, uint64_t, bool>;
    case DType::kComplex64:
      return binary<Function, complex64, bool>;
    case DType::kComplex128:
      return binary<Function, complex128, bool>;
    default:
      return nullptr;
  }
}

template <typename Function>
BinaryLoop find_order(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return binary<Function, int8_t, bool>;
    case DType::kUInt8:
      return binary<Function, uint8_t, bool>;
    case DType::kInt16:
      return binary<Function, int16_t, bool>;
    case DType::kUInt16:
      return binary<Function, uint16_t, bool>;
    case DType::kUInt32:
      return binary<Function, uint32_t, bool>;
    case DType::kUInt64:
      return binary<Function, uint64_t, bool>;
    default:
      return nullptr;
  }
}

template <CompareOp op, typename Half>
void half_loop(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y) {
  binary_in_float<Half, bool>(compare_loop(op, DType::kFloat32), x, y, out, n, stride_x, stride_y);
}
template <CompareOp op>
BinaryLoop find_half(DType dtype) {
  return dtype == DType::kFloat16 ? half_loop<op, float16> : half_loop<op, bfloat16>;
}

BinaryLoop other_loop(CompareOp op, DType dtype) {
  const bool is_half = kHalfTypes.has(dtype);
  switch (op) {
    case CompareOp::kEqual:
      return is_half ? find_half<CompareOp::kEqual>(dtype) : find_equality<Equal>(dtype);
    case CompareOp::kNotEqual:
      return is_half ? find_half<CompareOp::kNotEqual>(dtype) : find_equality<NotEqual>(dtype);
    case CompareOp::kLess:
      return is_half ? find_half<CompareOp::kLess>(dtype) : find_order<Less>(dtype);
    case CompareOp::kLessEqual:
      return is_half ? find_half<CompareOp::kLessEqual>(dtype) : find_order<LessEqual>(dtype);
  }
  return nullptr;
}

}  // namespace

BinaryLoop compare_loop(CompareOp op, DType dtype) noexcept {
  const BinaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

UnaryLoop is_nan_loop(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat16:
      return unary<IsNan, float16, bool>;
    case DType::kBFloat16:
      return unary<IsNan, bfloat16, bool>;
    case DType::kFloat32:
      return unary<IsNan, float, bool>;
    case DType::kFloat64:
      return unary<IsNan, double, bool>;
    default:
      return nullptr;
  }
}

void logical_and(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y) {
  binary<And, bool>(x, y, out, n, stride_x, stride_y);
}
void logical_or(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y) {
  binary<Or, bool>(x, y, out, n, stride_x, stride_y);
}
void logical_not(const void* x, void* out, int64_t n) { unary<Not, uint8_t, bool>(x, out, n); }

}  // namespace penstock::kernels
#endif
