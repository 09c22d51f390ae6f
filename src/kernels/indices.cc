#include "kernels/indices.h"

namespace penstock::kernels {
namespace {

template <typename T>
BadIndex find_bad(const T* indices, int64_t count, int64_t low, int64_t limit) {
  constexpr int64_t kBlock = 1024;  // looked at without branches
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = count - begin < kBlock ? count : begin + kBlock;
    bool bad = false;
    for (int64_t i = begin; i < end; ++i) bad |= (indices[i] < low) | (indices[i] >= limit);
    if (!bad) continue;
    for (int64_t i = begin; i < end; ++i) {
      if (indices[i] < low || indices[i] >= limit) return {i, indices[i], limit};
    }
  }
  return {};
}

}  // namespace

BadIndex find_bad_index(const View& indices, int64_t low, int64_t limit) {
  const int64_t count = indices.size();
  return indices.dtype == DType::kInt32 ? find_bad(indices.as<int32_t>(), count, low, limit)
                                        : find_bad(indices.as<int64_t>(), count, low, limit);
}

Coordinates Coordinates::into(const Shape& shape, const View& indices, int batch_dims) {
  Coordinates found;
  found.indices = indices;
  const int last = indices.shape.rank() - 1;
  found.depth = static_cast<int>(indices.shape[last]);
  uint64_t count = 1;  // may wrap around where a later axis is empty
  for (int i = 0; i < last; ++i) count *= static_cast<uint64_t>(indices.shape[i]);
  found.count = static_cast<int64_t>(count);
  for (int k = 0; k < found.depth; ++k) found.dims[k] = shape[batch_dims + k];
  if (batch_dims == 0) return found;
  uint64_t per_batch = 1;
  uint64_t rows = 1;
  for (int i = batch_dims; i < last; ++i) per_batch *= static_cast<uint64_t>(indices.shape[i]);
  for (int k = 0; k < found.depth; ++k) rows *= static_cast<uint64_t>(found.dims[k]);
  found.per_batch = static_cast<int64_t>(per_batch);
  found.batch_rows = static_cast<int64_t>(rows);
  return found;
}

BadIndex Coordinates::find_bad() const {
  if (indices.size() == 0) return {};
  if (depth == 1) return find_bad_index(indices, 0, dims[0]);
  for (int64_t i = 0; i < count; ++i) {
    for (int k = 0; k < depth; ++k) {
      const int64_t index = index_at(indices, i * depth + k);
      if (index < 0 || index >= dims[k]) return {i * depth + k, index, dims[k]};
    }
  }
  return {};
}

}  // namespace penstock::kernels
