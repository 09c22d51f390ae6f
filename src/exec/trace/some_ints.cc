#include "exec/trace/some_ints.h"

#include <algorithm>

namespace penstock::exec {

bool are_known(const SomeInts& elements) {
  return std::ranges::all_of(elements, [](const auto& element) { return element.has_value(); });
}

Tensor int_tensor(std::span<const int64_t> values, DType dtype, const Shape& shape) {
  if (dtype == DType::kInt64) return Tensor::from<int64_t>(values, shape);
  SmallVector<int32_t, 8> narrow;
  for (int64_t value : values) narrow.push_back(static_cast<int32_t>(value));
  return Tensor::from<int32_t>(std::span<const int32_t>(narrow), shape);
}

}  // namespace penstock::exec
