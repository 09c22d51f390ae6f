// Pooling of images: the largest value or the mean of a window, channel by channel, and the
// gradients of both.
#pragma once

#include <penstock/core/dtype.h>

#include "kernels/window.h"

namespace penstock::kernels {

struct PoolShape {
  DType dtype = DType::kInvalid;
  int64_t batch = 0;
  int64_t channels = 0;
  WindowAxis h = {}, w = {};  // every position sees at least one element
  bool channels_first = false;
};

// NaN is larger than everything. `dtype` is a real one. Pre of all: no tensor is empty.
void max_pool(const PoolShape& shape, const void* x, void* y) noexcept;
// dx gets each dy where the first element equal to y is. `dtype` is a real floating-point one.
void max_pool_grad(const PoolShape& shape, const void* x, const void* y, const void* dy,
                   void* dx) noexcept;
// The mean of the elements that exist. `dtype` is a real floating-point one.
void avg_pool(const PoolShape& shape, const void* x, void* y) noexcept;
void avg_pool_grad(const PoolShape& shape, const void* dy, void* dx) noexcept;

}  // namespace penstock::kernels
