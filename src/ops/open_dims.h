// Shapes with unknown dimensions, for infer.
#pragma once

#include <penstock/core/shape.h>

namespace penstock {

// A shape of that rank with no known dimension; of unknown rank if `rank` is unknown or too large.
inline Shape open_dims(int64_t rank) {
  if (rank < 0 || rank > kMaxRank) return Shape::unknown_rank();
  Shape shape;
  for (int64_t i = 0; i < rank; ++i) shape.append(kUnknownDim);
  return shape;
}

}  // namespace penstock
