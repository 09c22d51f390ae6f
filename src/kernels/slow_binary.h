// Division with floor, its remainder, and powers: bound by the division or by libm, so one loop per
// dtype for all processors.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

// Null where the dtype has none. Half types are left to the caller.
BinaryLoop floor_divide_loop(DType dtype) noexcept;
BinaryLoop floor_modulo_loop(DType dtype) noexcept;
BinaryLoop power_loop(DType dtype) noexcept;

}  // namespace penstock::kernels
