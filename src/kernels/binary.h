// Arithmetic on two operands: the loop for an op and a dtype, made for the processor at hand.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

enum class BinaryOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // not for integers
  kSquaredDifference,
  kMaximum,  // NaN when either is
  kMinimum,
  kReluGrad,     // x where y is positive, 0 elsewhere
  kFloorDivide,  // Pre for integers: y is not 0
  kFloorModulo,
  kPower,  // Pre for integers: y is not negative
};

// Null when the op does not exist for the dtype. Integers wrap around.
BinaryLoop binary_loop(BinaryOp op, DType dtype) noexcept;

// Whether a number in an integer tensor is zero, or below zero.
bool has_zero(const View& x) noexcept;
bool has_negative(const View& x) noexcept;

}  // namespace penstock::kernels
