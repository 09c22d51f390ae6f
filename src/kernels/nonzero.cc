#include "kernels/nonzero.h"

namespace penstock::kernels {
namespace {

// Row by row along the last axis, so that the coordinates before it stay put.
template <typename IsSet>
int64_t find(const Shape& shape, int64_t* to, const IsSet& is_set) {
  const int64_t count = shape.num_elements();
  if (shape.rank() == 0) return is_set(0) ? 1 : 0;
  const int last = shape.rank() - 1;
  const int64_t width = shape[last];
  int64_t at[kMaxRank] = {};
  int64_t found = 0;
  for (int64_t begin = 0; begin < count; begin += width) {
    for (int64_t i = 0; i < width; ++i) {
      // Always written, and kept if set: a branch on the data would be mispredicted too often.
      // There is room, because no more rows were kept than elements seen.
      int64_t* row = to + found * shape.rank();
      for (int k = 0; k < last; ++k) row[k] = at[k];
      row[last] = i;
      found += is_set(begin + i) ? 1 : 0;
    }
    for (int k = last - 1; k >= 0 && ++at[k] == shape[k]; --k) at[k] = 0;
  }
  return found;
}

template <typename T>
int64_t find_words(const View& x, int64_t* to) {
  const T* from = x.as<T>();
  return find(x.shape, to, [&](int64_t i) { return from[i] != T(); });
}

// Compares as numbers: -0 counts as zero.
template <typename T>
int64_t find_halves(const View& x, int64_t* to) {
  const T* from = x.as<T>();
  return find(x.shape, to, [&](int64_t i) { return (from[i].bits & 0x7FFF) != 0; });
}

}  // namespace

int64_t find_nonzero(const View& x, int64_t* coordinates) {
  switch (x.dtype) {
    case DType::kFloat16:
      return find_halves<float16>(x, coordinates);
    case DType::kBFloat16:
      return find_halves<bfloat16>(x, coordinates);
    case DType::kFloat32:
      return find_words<float>(x, coordinates);
    case DType::kFloat64:
      return find_words<double>(x, coordinates);
    case DType::kComplex64:
      return find_words<complex64>(x, coordinates);
    case DType::kComplex128:
      return find_words<complex128>(x, coordinates);
    default:
      break;
  }
  switch (dtype_size(x.dtype)) {
    case 1:
      return find_words<uint8_t>(x, coordinates);
    case 2:
      return find_words<uint16_t>(x, coordinates);
    case 4:
      return find_words<uint32_t>(x, coordinates);
    default:
      return find_words<uint64_t>(x, coordinates);
  }
}

}  // namespace penstock::kernels
