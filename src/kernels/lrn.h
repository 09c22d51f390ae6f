// Local response normalisation: every element divided by a power of the squares around it.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

// y = x / (bias + alpha * sum of squares within `radius` along the row) ^ beta.
struct Lrn {
  DType dtype;  // float16, bfloat16, float32 or float64
  int64_t rows, depth;
  int64_t radius;
  double bias, alpha, beta;
};

// The arrays must not overlap.
void lrn(const Lrn& shape, const void* x, void* y);
void lrn_grad(const Lrn& shape, const void* dy, const void* x, const void* y, void* dx);

}  // namespace penstock::kernels
