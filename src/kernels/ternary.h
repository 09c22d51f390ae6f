// Functions of three operands: selects the loop for an op and a dtype, compiled for the current
// CPU.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

enum class TernaryOp : uint8_t {
  kClip,           // x within [y, z]: the lesser of x and z, then the larger of that and y
  kLeakyReluGrad,  // x where y is positive, x * z elsewhere
  kBetainc,        // the regularised incomplete beta function of a, b and x
};

// Null if the op does not exist for the dtype.
TernaryLoop ternary_loop(TernaryOp op, DType dtype) noexcept;

}  // namespace penstock::kernels
