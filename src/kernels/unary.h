// Functions of one operand: the loop for an op and a dtype, made for the processor at hand.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

enum class UnaryOp : uint8_t {
  kNegative,
  kConj,
};

// Null when the op does not exist for the dtype. Integers wrap around.
UnaryLoop unary_loop(UnaryOp op, DType dtype) noexcept;

}  // namespace penstock::kernels
