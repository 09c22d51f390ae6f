#include "kernels/cast.h"

#include <complex>
#include <limits>
#include <type_traits>

#include "kernels/half.h"
#include "kernels/scalar_step.h"

namespace penstock::kernels {
namespace {

template <typename T>
constexpr bool is_complex = kComplexTypes.has(kDTypeOf<T>);

// Within the range of Wide, or its lowest number.
template <typename Wide, typename Float>
Wide truncated(Float x) {
  constexpr Float kEnd = -static_cast<Float>(std::numeric_limits<Wide>::min());
  return x >= -kEnd && x < kEnd ? static_cast<Wide>(x) : std::numeric_limits<Wide>::min();
}

template <typename To, typename Float>
To float_to_int(Float x) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    constexpr Float kHalf = static_cast<Float>(uint64_t{1} << 63);
    if (x >= kHalf && x < 2 * kHalf) return static_cast<uint64_t>(x);
    return static_cast<uint64_t>(truncated<int64_t>(x));
  } else if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>) {
    return static_cast<To>(truncated<int64_t>(x));
  } else {
    return static_cast<To>(truncated<int32_t>(x));
  }
}

template <typename From, typename To>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool> && !is_complex<From>) {
    return x != From(0);
  } else if constexpr (is_complex<From> && is_complex<To>) {
    return To(x);
  } else if constexpr (is_complex<From>) {
    return convert<typename From::value_type, To>(x.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<typename To::value_type>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_int<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
void loop(const void* x_data, void* out_data, int64_t n) {
  const From* __restrict x = static_cast<const From*>(x_data);
  To* __restrict out = static_cast<To*>(out_data);
  for (int64_t i = 0; i < n; ++i) out[i] = convert<From, To>(x[i]);
}

// Signed and unsigned results of one width have the same bits, so they share a loop: always when
// they come from integers, and up to 16 bits (through int32) when they come from real numbers.
template <typename From, typename To>
using Result = std::conditional_t<
    std::is_same_v<To, int8_t>, uint8_t,
    std::conditional_t<
        std::is_same_v<To, int16_t>, uint16_t,
        std::conditional_t<
            std::is_same_v<To, int32_t> && std::is_integral_v<From>, uint32_t,
            std::conditional_t<std::is_same_v<To, int64_t> && std::is_integral_v<From>, uint64_t,
                               To>>>>;

template <typename From, typename To>
const ScalarStep* scalar(Scalar* r, const ScalarStep* step) {
  r[step->out].put(convert<From, Result<From, To>>(r[step->x].get<From>()));
  return step[1].run(r, step + 1);
}

// Half types go through float, a block at a time.
template <typename Half, DType to>
void from_half(const void* x_data, void* out_data, int64_t n) {
  const Half* x = static_cast<const Half*>(x_data);
  if constexpr (to == DType::kFloat32) return to_float(x, static_cast<float*>(out_data), n);
  const UnaryLoop finish = cast_loop(DType::kFloat32, to);
  float block[kHalfBlock];
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t m = std::min(kHalfBlock, n - i);
    to_float(x + i, block, m);
    finish(block, static_cast<char*>(out_data) + i * static_cast<int64_t>(dtype_size(to)), m);
  }
}

template <typename Half, DType from>
void to_half(const void* x_data, void* out_data, int64_t n) {
  Half* out = static_cast<Half*>(out_data);
  if constexpr (from == DType::kFloat32) {
    return from_float(static_cast<const float*>(x_data), out, n);
  }
  const UnaryLoop begin = cast_loop(from, DType::kFloat32);
  float block[kHalfBlock];
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t m = std::min(kHalfBlock, n - i);
    begin(static_cast<const char*>(x_data) + i * static_cast<int64_t>(dtype_size(from)), block, m);
    from_float(block, out + i, m);
  }
}

// Every dtype but strings and the half types.
#define PEN_FOR_EACH_PLAIN(X) \
  X(bool, kBool)              \
  PEN_FOR_EACH_INT(X)         \
  X(float, kFloat32)          \
  X(double, kFloat64)         \
  X(complex64, kComplex64)    \
  X(complex128, kComplex128)

template <typename From>
UnaryLoop find(DType to) {
  switch (to) {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return loop<From, Result<From, T>>;
    PEN_FOR_EACH_PLAIN(PEN_CASE)
#undef PEN_CASE
    case DType::kFloat16:
      return to_half<float16, kDTypeOf<From>>;
    case DType::kBFloat16:
      return to_half<bfloat16, kDTypeOf<From>>;
    default:
      return nullptr;
  }
}

// The dtypes of counters, conditions and rates.
#define PEN_FOR_EACH_USUAL(X) \
  X(bool, kBool) X(int32_t, kInt32) X(int64_t, kInt64) X(float, kFloat32) X(double, kFloat64)

template <typename From>
ScalarFn find_scalar(DType to) {
  switch (to) {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return scalar<From, T>;
    PEN_FOR_EACH_USUAL(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

template <typename Half>
UnaryLoop find_from_half(DType to) {
  switch (to) {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return from_half<Half, DType::dtype>;
    PEN_FOR_EACH_PLAIN(PEN_CASE)
    PEN_CASE(float16, kFloat16)
    PEN_CASE(bfloat16, kBFloat16)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

}  // namespace

UnaryLoop cast_loop(DType from, DType to) noexcept {
  switch (from) {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return find<T>(to);
    PEN_FOR_EACH_PLAIN(PEN_CASE)
#undef PEN_CASE
    case DType::kFloat16:
      return find_from_half<float16>(to);
    case DType::kBFloat16:
      return find_from_half<bfloat16>(to);
    default:
      return nullptr;
  }
}

ScalarFn cast_scalar(DType from, DType to) noexcept {
  switch (from) {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return find_scalar<T>(to);
    PEN_FOR_EACH_USUAL(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

}  // namespace penstock::kernels
