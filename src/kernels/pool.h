// Pooling of images with up to three axes: the largest value or the mean of a window, channel by
// channel, and the gradients of both.
#pragma once

#include <penstock/core/dtype.h>

#include "kernels/window.h"

namespace penstock::kernels {

struct PoolShape {
  DType dtype = DType::kInvalid;
  int64_t batch = 0;
  int64_t channels = 0;
  Window window = {};  // every position sees at least one element
  bool channels_first = false;
};

// NaN is larger than everything; of equal values the first counts. Pre of all: no tensor is empty.

// `dtype` is a real one.
void max_pool(const PoolShape& shape, const void* x, void* y) noexcept;
// Also returns the positions of the largest values in x, counted from the start of their image
// unless `from_batch`; int64, or int32 with `narrow`.
void max_pool_with_argmax(const PoolShape& shape, const void* x, void* y, void* places,
                          bool from_batch, bool narrow) noexcept;

// `dtype` of the gradients is a real floating-point one. dx gets each dy at the element equal to y.
void max_pool_grad(const PoolShape& shape, const void* x, const void* y, const void* dy,
                   void* dx) noexcept;
// The reverse: each ddy is the ddx at the element equal to y.
void max_pool_grad_grad(const PoolShape& shape, const void* x, const void* y, const void* ddx,
                        void* ddy) noexcept;

// The mean of the elements that exist. `dtype` is a real floating-point one.
void avg_pool(const PoolShape& shape, const void* x, void* y) noexcept;
void avg_pool_grad(const PoolShape& shape, const void* dy, void* dx) noexcept;

}  // namespace penstock::kernels
