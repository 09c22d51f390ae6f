// Depthwise convolutions and their gradients: every channel of an image has its own filters,
// `multiplier` of them.
#pragma once

#include <penstock/core/dtype.h>

#include "kernels/window.h"

namespace penstock::kernels {

// The filter is [sizes of the window..., channels, multiplier]; output channel c * multiplier + m
// is filter m of channel c.
struct DepthwiseShape {
  DType dtype = DType::kInvalid;  // a real floating-point one
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t multiplier = 1;
  Window window = {};
  bool channels_first = false;
};

// Pre of all: the result is not empty.
void depthwise_conv(const DepthwiseShape& shape, const void* input, const void* filter,
                    void* output) noexcept;
void depthwise_input_grad(const DepthwiseShape& shape, const void* filter, const void* dy,
                          void* dx) noexcept;
void depthwise_filter_grad(const DepthwiseShape& shape, const void* input, const void* dy,
                           void* dfilter) noexcept;

}  // namespace penstock::kernels
