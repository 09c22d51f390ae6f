#include "kernels/one_hot.h"

#include <cstring>

#include "kernels/fill.h"

namespace penstock::kernels {
namespace {

template <typename Index>
void set_ones(const View& indices, const void* on, const View& out, int64_t depth, int64_t inner) {
  const Index* from = indices.as<Index>();
  char* to = out.as<char>();
  const auto size = static_cast<int64_t>(dtype_size(out.dtype));
  const int64_t count = indices.size();
  for (int64_t begin = 0, o = 0; begin < count; begin += inner, ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const auto index = static_cast<int64_t>(from[begin + i]);
      if (index < 0 || index >= depth) continue;
      std::memcpy(to + ((o * depth + index) * inner + i) * size, on, static_cast<size_t>(size));
    }
  }
}

}  // namespace

void one_hot(const View& indices, const void* on, const void* off, const View& out, int64_t depth,
             int64_t inner) {
  fill(out.data, off, dtype_size(out.dtype), out.size());
  switch (indices.dtype) {
    case DType::kInt8:
      return set_ones<int8_t>(indices, on, out, depth, inner);
    case DType::kUInt8:
      return set_ones<uint8_t>(indices, on, out, depth, inner);
    case DType::kInt32:
      return set_ones<int32_t>(indices, on, out, depth, inner);
    default:
      return set_ones<int64_t>(indices, on, out, depth, inner);
  }
}

}  // namespace penstock::kernels
