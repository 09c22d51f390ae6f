// Matrix products: c = a · b for every numeric dtype, by the method that suits the size.
//
// Small and thin products run directly on the operands. Large ones of floating-point dtypes are
// blocked (gemm_packed.h). Half types accumulate in float; integers wrap around.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

// An operand with strides (in elements), which make a transpose free.
struct Matrix {
  const void* data;
  int64_t row_stride;
  int64_t col_stride;
  bool conjugate = false;
};

// a is m × k, b is k × n, c is m × n.
struct GemmSize {
  int64_t m, n, k;
};

// Scratch bytes of gemm: bounded for every size (about 0.8 MiB for each of max_threads()), and 0
// for products that run directly.
int64_t gemm_scratch_bytes(DType dtype, const GemmSize& size);

// Applied to the elements of c when their sums are complete: y = f(x + bias[column]).
enum class Activation : uint8_t { kNone, kRelu, kRelu6, kLeakyRelu };
struct Epilogue {
  const void* bias = nullptr;  // of the product's dtype
  Activation activation = Activation::kNone;
  double alpha = 0;  // of kLeakyRelu

  bool empty() const { return bias == nullptr && activation == Activation::kNone; }
};

// Writes the product to c, whose rows are contiguous and `c_stride` elements apart. Pre: c overlaps
// neither operand; an epilogue requires a product with scratch.
void gemm(DType dtype, const GemmSize& size, const Matrix& a, const Matrix& b, void* c,
          int64_t c_stride, void* scratch, const Epilogue& epilogue = {}) noexcept;

}  // namespace penstock::kernels
