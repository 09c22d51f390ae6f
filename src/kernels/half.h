// Conversion of float16 and bfloat16 arrays to float and back. Kernels for half types compute in
// float: they convert a block, run the float loop on it, and convert the result.
#pragma once

#include <algorithm>
#include <cstdint>

#include <penstock/core/half.h>

#include "kernels/broadcast.h"

namespace penstock::kernels {

void to_float(const float16* x, float* out, int64_t n) noexcept;
void to_float(const bfloat16* x, float* out, int64_t n) noexcept;
// Rounding to nearest even.
void from_float(const float* x, float16* out, int64_t n) noexcept;
void from_float(const float* x, bfloat16* out, int64_t n) noexcept;

inline constexpr int64_t kHalfBlock = 256;

// `Out` is Half, or bool for tests and comparisons.
template <typename Half, typename Out = Half>
void unary_in_float(UnaryLoop loop, const void* x_data, void* out_data, int64_t n) {
  const Half* x = static_cast<const Half*>(x_data);
  Out* out = static_cast<Out*>(out_data);
  float block[kHalfBlock];
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t m = std::min(kHalfBlock, n - i);
    to_float(x + i, block, m);
    if constexpr (sizeof(Out) == sizeof(Half)) {
      loop(block, block, m);
      from_float(block, out + i, m);
    } else {
      loop(block, out + i, m);
    }
  }
}

template <typename Half, typename Out = Half>
void binary_in_float(BinaryLoop loop, const void* x_data, const void* y_data, void* out_data,
                     int64_t n, int stride_x, int stride_y) {
  const Half* x = static_cast<const Half*>(x_data);
  const Half* y = static_cast<const Half*>(y_data);
  Out* out = static_cast<Out*>(out_data);
  float left[kHalfBlock];
  float right[kHalfBlock];
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t m = std::min(kHalfBlock, n - i);
    to_float(x + i * stride_x, left, stride_x == 0 ? 1 : m);
    to_float(y + i * stride_y, right, stride_y == 0 ? 1 : m);
    if constexpr (sizeof(Out) == sizeof(Half)) {
      float result[kHalfBlock];
      loop(left, right, result, m, stride_x, stride_y);
      from_float(result, out + i, m);
    } else {
      loop(left, right, out + i, m, stride_x, stride_y);
    }
  }
}

template <typename Half>
void ternary_in_float(TernaryLoop loop, const void* x_data, const void* y_data, const void* z_data,
                      void* out_data, int64_t n, int stride_x, int stride_y, int stride_z) {
  const Half* x = static_cast<const Half*>(x_data);
  const Half* y = static_cast<const Half*>(y_data);
  const Half* z = static_cast<const Half*>(z_data);
  Half* out = static_cast<Half*>(out_data);
  float first[kHalfBlock];
  float second[kHalfBlock];
  float third[kHalfBlock];
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t m = std::min(kHalfBlock, n - i);
    to_float(x + i * stride_x, first, stride_x == 0 ? 1 : m);
    to_float(y + i * stride_y, second, stride_y == 0 ? 1 : m);
    to_float(z + i * stride_z, third, stride_z == 0 ? 1 : m);
    float result[kHalfBlock];
    loop(first, second, third, result, m, stride_x, stride_y, stride_z);
    from_float(result, out + i, m);
  }
}

}  // namespace penstock::kernels
