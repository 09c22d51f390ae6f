// Functions whose result is a bool: comparisons, logic and the test for NaN.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessEqual };

// Null when the dtype cannot be compared so: strings never, complex numbers and bools for equality
// only.
BinaryLoop compare_loop(CompareOp op, DType dtype) noexcept;

// For real floating-point dtypes.
UnaryLoop is_nan_loop(DType dtype) noexcept;

// On bools.
void logical_and(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y);
void logical_or(const void* x, const void* y, void* out, int64_t n, int stride_x, int stride_y);
void logical_not(const void* x, void* out, int64_t n);

}  // namespace penstock::kernels
