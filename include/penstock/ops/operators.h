// The arithmetic operators on tensors. A number takes the tensor's dtype. An rvalue operand is
// donated: a * b + c needs one new buffer, not two.
#pragma once

#include <type_traits>

#include <penstock/ops.h>

namespace penstock {

template <typename T>
concept TensorLike = std::is_same_v<std::remove_cvref_t<T>, Tensor>;
template <typename T>
concept Number = std::is_arithmetic_v<T>;

#define PEN_BINARY_OPERATOR(symbol, function)                                \
  template <TensorLike A, TensorLike B>                                      \
  Tensor operator symbol(A&& a, B&& b) {                                     \
    return function(std::forward<A>(a), std::forward<B>(b));                 \
  }                                                                          \
  template <TensorLike A, Number B>                                          \
  Tensor operator symbol(A&& a, B b) {                                       \
    const Tensor number = Tensor::scalar(a.dtype(), static_cast<double>(b)); \
    return function(std::forward<A>(a), number);                             \
  }                                                                          \
  template <Number A, TensorLike B>                                          \
  Tensor operator symbol(A a, B&& b) {                                       \
    const Tensor number = Tensor::scalar(b.dtype(), static_cast<double>(a)); \
    return function(number, std::forward<B>(b));                             \
  }
PEN_BINARY_OPERATOR(+, add)
PEN_BINARY_OPERATOR(-, subtract)
PEN_BINARY_OPERATOR(*, multiply)
PEN_BINARY_OPERATOR(/, divide)
#undef PEN_BINARY_OPERATOR

template <TensorLike A>
Tensor operator-(A&& a) {
  return negative(std::forward<A>(a));
}

}  // namespace penstock
