// Elements of one or the other of two operands, as a third one says.
#pragma once

#include "kernels/broadcast.h"

namespace penstock::kernels {

// The loop over (condition, then, else) for elements of `size` bytes, whatever they are.
TernaryLoop select_loop(size_t size) noexcept;

}  // namespace penstock::kernels
