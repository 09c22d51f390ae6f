// Matrix products: c = a · b for every numeric dtype, by the method that suits the size.
//
// Small and thin products run directly on the operands. Large ones of floating-point dtypes are
// blocked (gemm_packed.h). Half types accumulate in float; integers wrap around.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/gemm_types.h"

namespace penstock::kernels {

// Scratch bytes of gemm: bounded for every size (about 0.8 MiB for each of max_threads()), and 0
// for products that run directly.
int64_t gemm_scratch_bytes(DType dtype, const GemmSize& size);

// Writes the product to c, whose rows are contiguous and `c_stride` elements apart. Pre: c overlaps
// neither operand; an epilogue requires a product with scratch.
void gemm(DType dtype, const GemmSize& size, const Matrix& a, const Matrix& b, void* c,
          int64_t c_stride, void* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace penstock::kernels
