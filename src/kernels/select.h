// Selects elements of one of two operands by a condition.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

// The loop over (condition, then, else) for elements of `size` bytes of any type.
TernaryLoop select_loop(size_t size) noexcept;

}  // namespace penstock::kernels
