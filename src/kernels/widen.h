// Widens rows of half types to float32 for processing; rows of other types are used directly.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/accumulators.h"
#include "kernels/half.h"

namespace penstock::kernels {

// A row to read: the elements themselves, or widened into `buffer`.
template <typename T>
const Plain<T>* load(const T* x, int64_t n, Plain<T>* buffer) {
  if constexpr (kIsHalf<T>) {
    to_float(x, buffer, n);
    return buffer;
  } else {
    static_cast<void>(n), static_cast<void>(buffer);
    return x;
  }
}
// The buffer for writing a row, and its narrowing afterwards.
template <typename T>
Plain<T>* target(T* out, Plain<T>* buffer) {
  if constexpr (kIsHalf<T>) {
    static_cast<void>(out);
    return buffer;
  } else {
    static_cast<void>(buffer);
    return out;
  }
}
template <typename T>
void store(const Plain<T>* row, T* out, int64_t n) {
  if constexpr (kIsHalf<T>) {
    from_float(row, out, n);
  } else {
    static_cast<void>(row), static_cast<void>(out), static_cast<void>(n);
  }
}

// Calls f with a null pointer to the element type. Pre: a real floating type.
template <typename F>
void with_float_type(DType dtype, F f) {
  switch (dtype) {
    case DType::kFloat16:
      return f(static_cast<float16*>(nullptr));
    case DType::kBFloat16:
      return f(static_cast<bfloat16*>(nullptr));
    case DType::kFloat32:
      return f(static_cast<float*>(nullptr));
    default:
      return f(static_cast<double*>(nullptr));
  }
}

}  // namespace penstock::kernels
