// Exponential, logarithm and their kin for float and double: vectors of polynomials, within a few
// units in the last place of libm for every input, infinities, NaN and subnormals included.
#pragma once

#include "kernels/unary.h"

namespace penstock::kernels {

// For kExp and the ops after it; null for other dtypes than float32 and float64.
UnaryLoop math_loop(UnaryOp op, DType dtype) noexcept;

}  // namespace penstock::kernels
