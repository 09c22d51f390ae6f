// The steps that a reduction is made of, for one dtype: reduce.cc drives them.
//
// A step works on at most kTile accumulators. An accumulator is wider than the elements where that
// keeps digits: double for sums and products of floats, 64 bits for those of integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/reduction.h"

namespace penstock::kernels {

inline constexpr int64_t kTile = 128;
inline constexpr size_t kMaxAccumulator = 16;  // bytes
// A multiple of the blocks that floats are added up in: `rows` of pieces of so many elements, one
// after the other, comes to the same bits as `rows` of all of them at once.
inline constexpr int64_t kReducePiece = 4096;

struct ReduceLoops {
  // acc[i] takes in the n elements from x + i * stride on, for each i < count.
  void (*rows)(const void* x, int64_t count, int64_t n, int64_t stride, void* acc) = nullptr;
  // acc[j] takes in x[i * stride + j] for each i < rows, for each j < width.
  void (*columns)(const void* x, int64_t rows, int64_t stride, int64_t width, void* acc) = nullptr;
};

struct ReduceSteps {
  ReduceLoops loops;
  void (*start)(void* acc, int64_t count) = nullptr;  // sets the identity
  void (*merge)(void* acc, const void* other, int64_t count) = nullptr;
  // Divides by `divisor` (nothing, when it is 1) and narrows to the dtype.
  void (*finish)(const void* acc, int64_t count, int64_t divisor, void* out) = nullptr;
  size_t element_size = 0;
  size_t acc_size = 0;
};

// Pre: a complex dtype comes with kProd only: its sums are those of twice as many floats.
ReduceSteps reduce_steps(Reduction reduction, DType dtype);

// The vectorised loops. Pre: kFloat32 or kFloat64.
ReduceLoops simd_reduce_loops(Reduction reduction, DType dtype);

}  // namespace penstock::kernels
