#include "kernels/binary.h"

#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/half.h"

#define HWY_TARGET_INCLUDE "kernels/binary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_BINARY_FUNCTIONS
#define PENSTOCK_KERNELS_BINARY_FUNCTIONS
namespace penstock::kernels {

inline constexpr DTypeSet kRealPlain = DTypeSet(DType::kFloat32) | DType::kFloat64;
inline constexpr DTypeSet kPlain = kRealPlain | kComplexTypes;

// Integers are added and multiplied as unsigned numbers, which wrap around, of at least the width
// of int, to which narrower ones would be promoted.
template <typename T>
using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
constexpr bool is_complex = kComplexTypes.has(kDTypeOf<T>);

// A function that is one expression of `x` and `y`, of type T.
#define PEN_FUNCTION(Name, types, expression) \
  struct Name {                               \
    static constexpr DTypeSet kTypes = types; \
    template <typename T>                     \
    static T call(T x, T y) {                 \
      return expression;                      \
    }                                         \
  };
#define PEN_WRAPPING(Name, symbol)                                                     \
  struct Name {                                                                        \
    static constexpr DTypeSet kTypes = kIntTypes | kPlain;                             \
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
PEN_FUNCTION(Divide, kPlain, x / y)
PEN_FUNCTION(DivideNoNan, kPlain, y == T(0) ? T(0) : x / y)
PEN_FUNCTION(MultiplyNoNan, kPlain, y == T(0) ? T(0) : x * y)
PEN_FUNCTION(Maximum, kIntTypes | kRealPlain, x > y || x != x ? x : y)
PEN_FUNCTION(Minimum, kIntTypes | kRealPlain, x < y || x != x ? x : y)
PEN_FUNCTION(BitwiseAnd, kIntTypes, static_cast<T>(x& y))
PEN_FUNCTION(BitwiseOr, kIntTypes, static_cast<T>(x | y))
PEN_FUNCTION(BitwiseXor, kIntTypes, static_cast<T>(x ^ y))
PEN_FUNCTION(LeakyRelu, kRealPlain, x > T(0) ? x : x * y)
PEN_FUNCTION(ReluGrad, kIntTypes | kRealPlain, y > T(0) ? x : T(0))
PEN_FUNCTION(Relu6Grad, kIntTypes | kRealPlain, y > T(0) && y < T(6) ? x : T(0))
PEN_FUNCTION(EluGrad, kRealPlain, y < T(0) ? x * (y + T(1)) : x)
PEN_FUNCTION(SoftsignGrad, kRealPlain, x / ((T(1) + std::abs(y)) * (T(1) + std::abs(y))))
PEN_FUNCTION(SigmoidGrad, kPlain, y*(x*(T(1) - x)))
PEN_FUNCTION(TanhGrad, kPlain, y*(T(1) - x * x))
PEN_FUNCTION(SqrtGrad, kPlain, y* T(0.5) / x)
PEN_FUNCTION(RsqrtGrad, kPlain, y*(T(-0.5) * x * (x * x)))
PEN_FUNCTION(ReciprocalGrad, kPlain, -y*(x* x))
#undef PEN_WRAPPING
#undef PEN_FUNCTION

struct SquaredDifference {
  static constexpr DTypeSet kTypes = kIntTypes | kPlain;
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
struct SeluGrad {
  static constexpr DTypeSet kTypes = kRealPlain;
  template <typename T>
  static T call(T x, T y) {
    constexpr T kScale = T(1.0507009873554804934193349852946);
    constexpr T kScaleAlpha = T(1.7580993408473768599402175208123);
    return y < T(0) ? x * (y + kScaleAlpha) : x * kScale;
  }
};

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <template <class, typename> class Kind>
typename Kind<Add, float>::Loop find_fast_op(BinaryOp op, DType dtype) {
  switch (op) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return find_fast<Kind, Name>(dtype);
    PEN_SIMPLE_BINARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

BinaryLoop fast_loop(BinaryOp op, DType dtype) { return find_fast_op<Binary>(op, dtype); }
ScalarFn fast_scalar(BinaryOp op, DType dtype) { return find_fast_op<BinaryScalar>(op, dtype); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(fast_loop);
HWY_EXPORT(fast_scalar);

BinaryLoop other_loop(BinaryOp op, DType dtype) {
  using namespace HWY_NAMESPACE;
  switch (op) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return find_other<Binary, Name>(dtype);
    PEN_SIMPLE_BINARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

template <BinaryOp op, typename Half, typename Out>
void in_float(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y) {
  binary_in_float<Half, Out>(binary_loop(op, DType::kFloat32), x, y, out, n, stride_x, stride_y);
}

// In the order of the enum.
constexpr BinaryLoop kHalfLoops[][2] = {
#define PEN_HALVES(Name) \
  {in_float<BinaryOp::k##Name, float16, float16>, in_float<BinaryOp::k##Name, bfloat16, bfloat16>},
#define PEN_HALF_TESTS(Name) \
  {in_float<BinaryOp::k##Name, float16, bool>, in_float<BinaryOp::k##Name, bfloat16, bool>},
    PEN_SIMPLE_BINARY_OPS(PEN_HALVES) PEN_COMPARE_BINARY_OPS(PEN_HALF_TESTS)
        PEN_SLOW_BINARY_OPS(PEN_HALVES)
#undef PEN_HALF_TESTS
#undef PEN_HALVES
};

}  // namespace

BinaryLoop binary_loop(BinaryOp op, DType dtype) noexcept {
  if (kHalfTypes.has(dtype)) {
    if (binary_loop(op, DType::kFloat32) == nullptr) return nullptr;
    return kHalfLoops[static_cast<int>(op)][dtype == DType::kBFloat16];
  }
  if (op > BinaryOp::kReciprocalGrad) {
    if (op <= BinaryOp::kLogicalOr) return compare_loop(op, dtype);
    const BinaryLoop vectors = vector_binary_loop(op, dtype);
    return vectors != nullptr ? vectors : slow_binary_loop(op, dtype);
  }
  const BinaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

ScalarFn binary_scalar(BinaryOp op, DType dtype) noexcept {
  if (op <= BinaryOp::kReciprocalGrad) return HWY_DYNAMIC_DISPATCH(fast_scalar)(op, dtype);
  return op <= BinaryOp::kLogicalOr ? compare_scalar(op, dtype) : slow_binary_scalar(op, dtype);
}

}  // namespace penstock::kernels
#endif
