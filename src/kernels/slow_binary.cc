// Functions of two numbers at a time: bound by a division, by libm or by a series, so one loop per
// dtype serves all processors.
#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/binary.h"
#include "kernels/special.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

namespace penstock::kernels {
namespace {

using namespace HWY_NAMESPACE;

constexpr DTypeSet kRealPlain = DTypeSet(DType::kFloat32) | DType::kFloat64;
constexpr DTypeSet kPlain = kRealPlain | kComplexTypes;

// The lowest number has no counterpart: dividing it by -1 wraps around.
template <typename T>
T wrapping_negative(T x) {
  return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
}

struct FloorDivide {
  static constexpr DTypeSet kTypes = kIntTypes | kRealPlain;
  template <typename T>
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(x / y);
    } else if constexpr (std::is_unsigned_v<T>) {
      return static_cast<T>(x / y);
    } else {
      if (y == -1) return wrapping_negative(x);
      const T quotient = static_cast<T>(x / y);
      return static_cast<T>(quotient - ((x % y != 0) && ((x < 0) != (y < 0))));
    }
  }
};

// As std::fmod. The remainder of two floats is exact in double if their quotient is not too large.
inline float remainder_of(float x, float y) {
  const double quotient = static_cast<double>(x) / y;
  if (!(std::abs(quotient) < 0x1p28) || std::isinf(y)) return std::fmod(x, y);
  double rest = x - static_cast<int32_t>(quotient) * static_cast<double>(y);
  const double size = std::abs(static_cast<double>(y));
  if (rest != 0 && (rest < 0) != (x < 0)) rest += std::copysign(size, x);  // it was rounded up
  return static_cast<float>(std::copysign(rest, x));
}
inline double remainder_of(double x, double y) { return std::fmod(x, y); }

struct FloorModulo {
  static constexpr DTypeSet kTypes = kIntTypes | kRealPlain;
  template <typename T>
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = remainder_of(x, y);
      return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    } else if constexpr (std::is_unsigned_v<T>) {
      return static_cast<T>(x % y);
    } else {
      if (y == -1) return 0;
      const T rest = static_cast<T>(x % y);
      return static_cast<T>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
  }
};

struct TruncateDivide {
  static constexpr DTypeSet kTypes = kIntTypes | kRealPlain;
  template <typename T>
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(x / y);
    } else {
      if constexpr (std::is_signed_v<T>) {
        if (y == -1) return wrapping_negative(x);
      }
      return static_cast<T>(x / y);
    }
  }
};

struct TruncateModulo {
  static constexpr DTypeSet kTypes = kIndexTypes | kRealPlain;
  template <typename T>
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return remainder_of(x, y);
    } else {
      return y == -1 ? T(0) : static_cast<T>(x % y);
    }
  }
};

struct Power {
  static constexpr DTypeSet kTypes = kSignedTypes | kPlain;
  template <typename T>
  static T call(T x, T y) {
    if constexpr (!std::is_integral_v<T>) {
      if constexpr (!std::is_floating_point_v<T>) {
        if (y == T(0)) return T(1);
      }
      if constexpr (std::is_same_v<T, double>) {
        if (y == 2) return x * x;  // as double_powers
      }
      return std::pow(x, y);
    } else {
      uint64_t base = static_cast<uint64_t>(x);
      uint64_t result = 1;
      for (auto rest = static_cast<uint64_t>(y); rest != 0; rest >>= 1, base *= base) {
        if ((rest & 1) != 0) result *= base;
      }
      return static_cast<T>(result);
    }
  }
};

// The shift distance, limited to the bits of the word.
template <typename T>
int shift_of(T y) {
  constexpr int kMost = static_cast<int>(sizeof(T)) * 8 - 1;
  if (y < T(0)) return 0;
  return y > static_cast<T>(kMost) ? kMost : static_cast<int>(y);
}
struct LeftShift {
  static constexpr DTypeSet kTypes = kIntTypes;
  template <typename T>
  static T call(T x, T y) {
    return static_cast<T>(static_cast<uint64_t>(x) << shift_of(y));
  }
};
struct RightShift {
  static constexpr DTypeSet kTypes = kIntTypes;
  template <typename T>
  static T call(T x, T y) {
    return static_cast<T>(x >> shift_of(y));
  }
};

#define PEN_FUNCTION(Name, types, expression) \
  struct Name {                               \
    static constexpr DTypeSet kTypes = types; \
    template <typename T>                     \
    static T call(T x, T y) {                 \
      return static_cast<T>(expression);      \
    }                                         \
  };
PEN_FUNCTION(Atan2, kRealPlain, std::atan2(x, y))
PEN_FUNCTION(NextAfter, kRealPlain, std::nextafter(x, y))
PEN_FUNCTION(Xdivy, kPlain, x == T(0) ? T(0) : x / y)
PEN_FUNCTION(Xlogy, kPlain, x == T(0) ? T(0) : x * std::log(y))
PEN_FUNCTION(Igamma, kRealPlain, igamma(x, y))
PEN_FUNCTION(Igammac, kRealPlain, igammac(x, y))
PEN_FUNCTION(IgammaGradA, kRealPlain, igamma_grad_a(x, y))
PEN_FUNCTION(RandomGammaGrad, kRealPlain, random_gamma_grad(x, y))
PEN_FUNCTION(Zeta, kRealPlain, zeta(x, y))
PEN_FUNCTION(Polygamma, kRealPlain, polygamma(x, y))
#undef PEN_FUNCTION

struct Xlog1py {
  static constexpr DTypeSet kTypes = kPlain;
  template <typename T>
  static T call(T x, T y) {
    if (x == T(0)) return T(0);
    if constexpr (std::is_floating_point_v<T>) {
      return x * std::log1p(y);
    } else {
      return x * std::log(T(1) + y);
    }
  }
};

// Most powers are squares.
void double_powers(const void* x_data, const void* y_data, void* out_data, int64_t n, int stride_x,
                   int stride_y) {
  if (stride_y != 0 || *static_cast<const double*>(y_data) != 2) {
    return Binary<Power, double>::run(x_data, y_data, out_data, n, stride_x, stride_y);
  }
  const double* x = static_cast<const double*>(x_data);
  double* out = static_cast<double*>(out_data);
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
}

template <class Function>
BinaryLoop find(DType dtype) {
  const BinaryLoop fast = find_fast<Binary, Function>(dtype);
  return fast != nullptr ? fast : find_other<Binary, Function>(dtype);
}

template <typename T>
bool any_zero(const View& x, int64_t n) {
  const T* data = x.as<const T>();
  bool found = false;
  for (int64_t i = 0; i < n; ++i) found |= data[i] == 0;
  return found;
}

template <typename T>
bool any_negative(const View& x, int64_t n) {
  const T* data = x.as<const T>();
  T lowest = 0;
  for (int64_t i = 0; i < n; ++i) lowest = data[i] < lowest ? data[i] : lowest;
  return lowest < 0;
}

}  // namespace

BinaryLoop slow_binary_loop(BinaryOp op, DType dtype) noexcept {
  if (op == BinaryOp::kPower && dtype == DType::kFloat64) return double_powers;
  switch (op) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return find<Name>(dtype);
    PEN_SLOW_BINARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

ScalarFn slow_binary_scalar(BinaryOp op, DType dtype) noexcept {
  switch (op) {
    case BinaryOp::kFloorDivide:
      return find_fast<BinaryScalar, FloorDivide>(dtype);
    case BinaryOp::kFloorModulo:
      return find_fast<BinaryScalar, FloorModulo>(dtype);
    case BinaryOp::kTruncateDivide:
      return find_fast<BinaryScalar, TruncateDivide>(dtype);
    case BinaryOp::kTruncateModulo:
      return find_fast<BinaryScalar, TruncateModulo>(dtype);
    default:
      return nullptr;
  }
}

bool has_zero(const View& x) noexcept {
  const int64_t n = x.size();
  switch (dtype_size(x.dtype)) {
    case 1:
      return any_zero<uint8_t>(x, n);
    case 2:
      return any_zero<uint16_t>(x, n);
    case 4:
      return any_zero<uint32_t>(x, n);
    default:
      return any_zero<uint64_t>(x, n);
  }
}

bool has_negative(const View& x) noexcept {
  const int64_t n = x.size();
  switch (x.dtype) {
    case DType::kInt8:
      return any_negative<int8_t>(x, n);
    case DType::kInt16:
      return any_negative<int16_t>(x, n);
    case DType::kInt32:
      return any_negative<int32_t>(x, n);
    case DType::kInt64:
      return any_negative<int64_t>(x, n);
    default:
      return false;
  }
}

}  // namespace penstock::kernels
