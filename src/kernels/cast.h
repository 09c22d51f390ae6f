// From one element type to another.
#pragma once

#include "kernels/broadcast.h"
#include "kernels/scalar_step.h"

namespace penstock::kernels {

// The loop from one dtype to another, different one; neither of them strings.
//
// A real number becomes an integer by dropping its fraction. What does not fit becomes the lowest
// number of the width that the conversion goes through (32 bits up to int32, 64 bits beyond), cut
// to the result's width: what x86 and therefore TensorFlow and NumPy give there. NaN counts as not
// fitting. Of a complex number the real part is taken. A bool is whether the number is not 0.
UnaryLoop cast_loop(DType from, DType to) noexcept;
// The same on single elements; null where there is only the loop to call.
ScalarFn cast_scalar(DType from, DType to) noexcept;

}  // namespace penstock::kernels
