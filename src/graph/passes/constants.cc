#include "graph/passes/constants.h"

#include <algorithm>
#include <cstring>

namespace penstock {
namespace {

// Equal for equal tensors. A few samples suffice: tensors with equal hashes are compared in full.
uint64_t sampled_hash(const Tensor& tensor) {
  uint64_t hash = static_cast<uint64_t>(tensor.dtype());
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u + (hash >> 29);
  };
  for (int64_t dim : tensor.shape()) mix(static_cast<uint64_t>(dim));
  constexpr int64_t kSamples = 32;
  const char* bytes = static_cast<const char*>(tensor.raw());
  const int64_t words = tensor.num_bytes() / 8;
  for (int64_t i = 0, n = std::min(words, kSamples); i < n; ++i) {
    uint64_t word;
    std::memcpy(&word, bytes + 8 * (i * words / n), sizeof word);
    mix(word);
  }
  for (int64_t i = 8 * words; i < tensor.num_bytes(); ++i) mix(static_cast<uint8_t>(bytes[i]));
  return hash;
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.raw() == b.raw() ||
          std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.num_bytes())) == 0);
}

}  // namespace

ValueId ConstantPool::add(Graph& graph, const Tensor& tensor) {
  const uint64_t hash = sampled_hash(tensor);
  const auto [first, last] = found_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (is_same(*graph.constant_of(it->second), tensor)) return it->second;
  }
  const ValueId value = graph.add_constant(tensor);
  found_.emplace(hash, value);
  return value;
}

bool is_repeated(const Tensor& tensor) {
  if (tensor.num_elements() < 2 || tensor.dtype() == DType::kString) return false;
  const size_t size = dtype_size(tensor.dtype());
  const char* bytes = static_cast<const char*>(tensor.raw());
  return std::memcmp(bytes, bytes + size, static_cast<size_t>(tensor.num_bytes()) - size) == 0;
}

Tensor first_element(const Tensor& tensor) {
  return Tensor::over(tensor.buffer(), tensor.offset(), tensor.dtype(), {}).copy(Tag::kConstant);
}

}  // namespace penstock
