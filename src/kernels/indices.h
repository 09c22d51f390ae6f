// Indices in tensors (int32 or int64), and coordinates of several indices.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

inline int64_t index_at(const View& indices, int64_t i) {
  return indices.dtype == DType::kInt32 ? indices.as<int32_t>()[i] : indices.as<int64_t>()[i];
}

// The first index that is out of range; `at` is -1 if there is none.
struct BadIndex {
  int64_t at = -1;
  int64_t value = 0;
  int64_t limit = 0;
};

// Finds an index outside [low, limit).
BadIndex find_bad_index(const View& indices, int64_t low, int64_t limit);

// Rows of a tensor, each addressed by `depth` indices into its first axes: indices of shape [...,
// depth], counted as `count` coordinates. The first batch_dims axes are batches: `per_batch`
// consecutive coordinates address rows of the same batch.
struct Coordinates {
  View indices;
  int64_t count = 0;
  int depth = 0;
  int64_t dims[kMaxRank] = {};
  int64_t per_batch = 0;   // 0: all one batch
  int64_t batch_rows = 0;  // rows of a batch

  // Pre: indices has more than batch_dims axes, and the last is no longer than the shape has axes
  // after batch_dims.
  static Coordinates into(const Shape& shape, const View& indices, int batch_dims = 0);
  BadIndex find_bad() const;
  // The row of coordinate `i`. Pre: find_bad found none.
  int64_t row(int64_t i) const {
    int64_t row = 0;
    for (int k = 0; k < depth; ++k) row = row * dims[k] + index_at(indices, i * depth + k);
    return per_batch == 0 ? row : row + i / per_batch * batch_rows;
  }
};

}  // namespace penstock::kernels
