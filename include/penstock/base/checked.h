// Arithmetic on sizes that reports overflow instead of wrapping around.
#pragma once

#include <cstdint>

namespace penstock {

// *result = a * b; false on overflow.
[[nodiscard]] inline bool checked_mul(int64_t a, int64_t b, int64_t* result) {
  return !__builtin_mul_overflow(a, b, result);
}

// *result = a + b; false on overflow.
[[nodiscard]] inline bool checked_add(int64_t a, int64_t b, int64_t* result) {
  return !__builtin_add_overflow(a, b, result);
}

}  // namespace penstock
