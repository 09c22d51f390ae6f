// What matrix products are described by: operands, a size, and an epilogue.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// An operand, whose strides (in elements) make a transpose free.
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

// What is done with the elements of c when their sums are complete: y = f(x + bias[column]).
enum class Activation : uint8_t { kNone, kRelu, kRelu6, kLeakyRelu };
struct Epilogue {
  const void* bias = nullptr;  // of the product's dtype
  Activation activation = Activation::kNone;
  double alpha = 0;  // of kLeakyRelu

  bool empty() const { return bias == nullptr && activation == Activation::kNone; }
};

}  // namespace penstock::kernels
