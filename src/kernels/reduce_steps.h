// The steps of a reduction, for one dtype; reduce.cc calls them.
//
// A step works on at most kTile accumulators. An accumulator is wider than the elements for
// accuracy: double for sums and products of floats, 64 bits for those of integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/reduction.h"

namespace penstock::kernels {

inline constexpr int64_t kTile = 128;
inline constexpr size_t kMaxAccumulator = 16;  // bytes
// A multiple of the blocks in which floats are summed: calling `rows` on pieces of this many
// elements gives the same bits as one call on all.
inline constexpr int64_t kReducePiece = 4096;

struct ReduceLoops {
  // Accumulates the n elements from x + i * stride into acc[i], for each i < count.
  void (*rows)(const void* x, int64_t count, int64_t n, int64_t stride, void* acc) = nullptr;
  // Accumulates x[i * stride + j] for each i < rows into acc[j], for each j < width.
  void (*columns)(const void* x, int64_t rows, int64_t stride, int64_t width, void* acc) = nullptr;
};

struct ReduceSteps {
  ReduceLoops loops;
  void (*start)(void* acc, int64_t count) = nullptr;  // sets the identity
  void (*merge)(void* acc, const void* other, int64_t count) = nullptr;
  // Divides by `divisor` (unless it is 1) and narrows to the dtype.
  void (*finish)(const void* acc, int64_t count, int64_t divisor, void* out) = nullptr;
  size_t element_size = 0;
  size_t acc_size = 0;
};

// Pre: a complex dtype only with kProd; its sums are those of twice as many floats.
ReduceSteps reduce_steps(Reduction reduction, DType dtype);

// The vectorised loops. Pre: kFloat32 or kFloat64.
ReduceLoops simd_reduce_loops(Reduction reduction, DType dtype);

}  // namespace penstock::kernels
