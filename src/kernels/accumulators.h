// Accumulator types of kernels that sum or multiply many elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

template <typename T>
inline constexpr bool kIsHalf = kHalfTypes.has(kDTypeOf<T>);
template <typename T>
inline constexpr bool kIsComplex = kComplexTypes.has(kDTypeOf<T>);

// The element type, or the type it is computed in.
template <typename T>
using Plain = std::conditional_t<kIsHalf<T>, float, T>;

// Wide enough to keep digits: 64 bits for integers (which wrap around), double for floats.
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t,
                                std::conditional_t<kIsComplex<T>, complex128, double>>;

// An element as an accumulator: a signed integer keeps its sign.
template <typename Acc, typename T>
Acc widen(T value) {
  if constexpr (std::is_same_v<Acc, uint64_t> && std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  } else {
    return static_cast<Acc>(value);
  }
}

template <typename T, typename Acc>
T narrow(Acc value) {
  if constexpr (kIsHalf<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

// Without the standard's handling of complex infinities, which is slow and differs from TensorFlow.
template <typename A>
A product(A a, A b) {
  if constexpr (kIsComplex<A>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

}  // namespace penstock::kernels
