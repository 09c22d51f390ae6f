// Moves boxes of elements: the loop behind concat, slice, transpose, pad, tile and reverse.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/core/shape.h>

namespace penstock::kernels {

inline constexpr int kMaxMoveRank = 2 * kMaxRank;  // tile treats every axis as two

// A box of elements to copy. Starts and strides count elements; a source stride may be negative
// (reversed) or zero (repeated).
struct Move {
  int rank = 0;
  int64_t dims[kMaxMoveRank];
  int64_t from[kMaxMoveRank];
  int64_t to[kMaxMoveRank];
  int64_t from_start = 0;
  int64_t to_start = 0;

  // Pre: fewer than kMaxMoveRank axes so far. Add the axes outermost first, in the destination's
  // order.
  void add(int64_t dim, int64_t from_stride, int64_t to_stride) {
    dims[rank] = dim;
    from[rank] = from_stride;
    to[rank++] = to_stride;
  }
};

// Copies what `box` describes. An empty box may have any strides and starts.
void move(const Move& box, const void* from, void* to, size_t element_size);

// The parts of a shape before and after an axis. For an empty tensor it is only certain that they
// are empty: sizes may have wrapped around, and nothing is moved.
struct AxisParts {
  int64_t outer;
  int64_t size;
  int64_t inner;
};
// Multiplies without overflow errors; exact whenever the dims belong to a tensor with elements.
int64_t product(const Shape& shape, int begin, int end);
AxisParts parts_at(const Shape& shape, int axis);

}  // namespace penstock::kernels
