// Conversion from one element type to another.
#pragma once

#include "kernels/broadcast.h"
#include "kernels/scalar_step.h"

namespace penstock::kernels {

// The loop from one dtype to a different one; neither may be strings.
//
// A real number becomes an integer by dropping its fraction. A number out of range becomes the
// lowest number of the width that the conversion goes through (32 bits up to int32, 64 bits
// beyond), truncated to the result's width, as on x86 and therefore in TensorFlow and NumPy. NaN
// counts as out of range. A complex number loses its imaginary part. A bool is whether the number
// is not 0.
UnaryLoop cast_loop(DType from, DType to) noexcept;
// The same on single elements; null where there is only the loop to call.
ScalarFn cast_scalar(DType from, DType to) noexcept;

}  // namespace penstock::kernels
