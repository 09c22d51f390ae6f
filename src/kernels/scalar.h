// Scalars: formulas on single elements, as a list of steps over registers.
//
// A step computes the same bits as the op's own loop for one element, and jumps to the next step,
// so an op costs about as much as its arithmetic. Functions of a single expression have their own
// steps, made from the same function as the loop (kernels/loops-inl.h); all others call the loop.
#pragma once

#include "kernels/formula.h"
#include "kernels/scalar_step.h"

namespace penstock::kernels {

// A step without its registers. Pre: as for loop_of; elements of at most eight bytes.
ScalarStep scalar_step(const Formula& formula, DType in, DType out) noexcept;
// A step that fails if register x holds a value that the formula refuses. Pre:
// formula.refuses(dtype).
ScalarStep scalar_check(const Formula& formula, DType dtype) noexcept;
// The last step of every list.
ScalarStep scalar_end() noexcept;

}  // namespace penstock::kernels
