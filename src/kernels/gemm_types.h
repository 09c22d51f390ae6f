// The description of a matrix product: operands, size and epilogue.
#pragma once

#include <cstdint>

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

// Applied to the elements of c when their sums are complete: y = f(x + bias[column]).
enum class Activation : uint8_t { kNone, kRelu, kRelu6, kLeakyRelu };
struct Epilogue {
  const void* bias = nullptr;  // of the product's dtype
  Activation activation = Activation::kNone;
  double alpha = 0;  // of kLeakyRelu

  bool empty() const { return bias == nullptr && activation == Activation::kNone; }
};

}  // namespace penstock::kernels
