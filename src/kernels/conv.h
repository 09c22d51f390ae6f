// Convolutions of images with up to three axes and their two gradients, as blocked matrix products
// that read the patches straight from the image: no patch matrix exists, and scratch stays small.
#pragma once

#include <cstdint>

#include "kernels/conv_shape.h"
#include "kernels/gemm_packed.h"

namespace penstock::kernels {

// Bytes of scratch. Pre: neither the result nor the convolution's output is empty.
int64_t conv_scratch_bytes(const ConvShape& shape);
int64_t conv_input_grad_scratch_bytes(const ConvShape& shape);
int64_t conv_filter_grad_scratch_bytes(const ConvShape& shape);

// Pre: the result is not empty; an epilogue requires channels last.
void conv(const ConvShape& shape, const void* input, const void* filter, void* output,
          void* scratch, const Epilogue& epilogue = {}) noexcept;
void conv_input_grad(const ConvShape& shape, const void* filter, const void* dy, void* dx,
                     void* scratch) noexcept;
void conv_filter_grad(const ConvShape& shape, const void* input, const void* dy, void* dfilter,
                      void* scratch) noexcept;

}  // namespace penstock::kernels
