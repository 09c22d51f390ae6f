// Convolutions of int32 images, as plain loops; sums wrap around.
#pragma once

#include "kernels/conv_shape.h"

namespace penstock::kernels {

void integer_conv(const ConvShape& shape, const void* input, const void* filter,
                  void* output) noexcept;
void integer_conv_input_grad(const ConvShape& shape, const void* filter, const void* dy,
                             void* dx) noexcept;

}  // namespace penstock::kernels
