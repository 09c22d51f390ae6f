// Functions of one operand: the loop for an op and a dtype, made for the processor at hand.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

enum class UnaryOp : uint8_t {
  kNegative,
  kConj,
  kAbs,
  kSign,
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kRelu,
  kFloor,
  kCeil,
  kRound,  // halves go to the even neighbour
  kExp,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  kErf,
};

// Null when the op does not exist for the dtype. Integers wrap around.
UnaryLoop unary_loop(UnaryOp op, DType dtype) noexcept;

}  // namespace penstock::kernels
