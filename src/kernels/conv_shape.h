// The shape of a convolution.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/window.h"

namespace penstock::kernels {

// The filter is [sizes of the window..., in_channels / groups, out_channels].
struct ConvShape {
  DType dtype = DType::kInvalid;  // a real floating-point one, or int32
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  Window window = {};
  bool channels_first = false;
};

}  // namespace penstock::kernels
