#include "kernels/slow_binary.h"

#include <cmath>
#include <complex>
#include <type_traits>

#include "kernels/binary.h"

namespace penstock::kernels {
namespace {

template <typename T>
struct FloorDivide {
  static T call(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(x / y);
    } else if constexpr (std::is_unsigned_v<T>) {
      return static_cast<T>(x / y);
    } else {
      // The lowest number has no counterpart: dividing it by -1 wraps around.
      if (y == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
      const T quotient = static_cast<T>(x / y);
      return static_cast<T>(quotient - ((x % y != 0) && ((x < 0) != (y < 0))));
    }
  }
};

// As std::fmod. Of two floats whose quotient is not too large the remainder is exact in double.
inline float remainder_of(float x, float y) {
  const double quotient = static_cast<double>(x) / y;
  if (!(std::abs(quotient) < 0x1p28) || std::isinf(y)) return std::fmod(x, y);
  double rest = x - static_cast<int32_t>(quotient) * static_cast<double>(y);
  const double size = std::abs(static_cast<double>(y));
  if (rest != 0 && (rest < 0) != (x < 0)) rest += std::copysign(size, x);  // it was rounded up
  return static_cast<float>(std::copysign(rest, x));
}
inline double remainder_of(double x, double y) { return std::fmod(x, y); }

template <typename T>
struct FloorModulo {
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

template <typename T>
struct Power {
  static T call(T x, T y) {
    if constexpr (!std::is_integral_v<T>) {
      if constexpr (!std::is_floating_point_v<T>) {
        if (y == T(0)) return T(1);
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

template <typename Function, typename T>
void loop(const void* x_data, const void* y_data, void* out_data, int64_t n, int stride_x,
          int stride_y) {
  const T* x = static_cast<const T*>(x_data);
  const T* y = static_cast<const T*>(y_data);
  T* out = static_cast<T*>(out_data);
  for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i * stride_x], y[i * stride_y]);
}

// Most powers are squares.
template <typename T>
void power_loop_of(const void* x_data, const void* y_data, void* out_data, int64_t n, int stride_x,
                   int stride_y) {
  if (stride_y != 0 || *static_cast<const T*>(y_data) != 2) {
    return loop<Power<T>, T>(x_data, y_data, out_data, n, stride_x, stride_y);
  }
  const T* x = static_cast<const T*>(x_data);
  T* out = static_cast<T*>(out_data);
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
}

template <template <typename> typename Function>
BinaryLoop find_signed(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return loop<Function<int8_t>, int8_t>;
    case DType::kInt16:
      return loop<Function<int16_t>, int16_t>;
    case DType::kInt32:
      return loop<Function<int32_t>, int32_t>;
    case DType::kInt64:
      return loop<Function<int64_t>, int64_t>;
    case DType::kFloat32:
      return loop<Function<float>, float>;
    case DType::kFloat64:
      return loop<Function<double>, double>;
    default:
      return nullptr;
  }
}

template <template <typename> typename Function>
BinaryLoop find_unsigned(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return loop<Function<uint8_t>, uint8_t>;
    case DType::kUInt16:
      return loop<Function<uint16_t>, uint16_t>;
    case DType::kUInt32:
      return loop<Function<uint32_t>, uint32_t>;
    case DType::kUInt64:
      return loop<Function<uint64_t>, uint64_t>;
    default:
      return nullptr;
  }
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

BinaryLoop floor_divide_loop(DType dtype) noexcept {
  const BinaryLoop found = find_signed<FloorDivide>(dtype);
  return found != nullptr ? found : find_unsigned<FloorDivide>(dtype);
}

BinaryLoop floor_modulo_loop(DType dtype) noexcept {
  const BinaryLoop found = find_signed<FloorModulo>(dtype);
  return found != nullptr ? found : find_unsigned<FloorModulo>(dtype);
}

BinaryLoop power_loop(DType dtype) noexcept {
  if (dtype == DType::kFloat32) return power_loop_of<float>;
  if (dtype == DType::kFloat64) return power_loop_of<double>;
  if (dtype == DType::kComplex64) return loop<Power<complex64>, complex64>;
  if (dtype == DType::kComplex128) return loop<Power<complex128>, complex128>;
  return find_signed<Power>(dtype);
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
