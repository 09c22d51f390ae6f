// What infer says of results whose dimensions are not known.
#pragma once

#include <penstock/core/shape.h>

namespace penstock {

// As many dimensions as given, none of them known; of unknown rank for a number that is not known
// or too large.
inline Shape open_dims(int64_t rank) {
  if (rank < 0 || rank > kMaxRank) return Shape::unknown_rank();
  Shape shape;
  for (int64_t i = 0; i < rank; ++i) shape.append(kUnknownDim);
  return shape;
}

}  // namespace penstock
