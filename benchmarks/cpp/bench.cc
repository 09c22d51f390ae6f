#include "bench.h"

#include <string>

namespace penstock::bench {

float value_at(int64_t i, uint32_t seed) {
  uint32_t hash = (static_cast<uint32_t>(i) + seed * 1'000'003u) * 2'654'435'761u;
  hash = (hash ^ (hash >> 15)) * 2'246'822'519u;
  hash ^= hash >> 13;
  return static_cast<float>(hash >> 8) * 0x1p-23f - 1.0f;
}

Tensor values(const Shape& shape, uint32_t seed) {
  Tensor tensor = Tensor::empty(DType::kFloat32, shape, Tag::kConstant);
  float* const data = static_cast<float*>(tensor.raw());
  const int64_t n = tensor.num_elements();
  for (int64_t i = 0; i < n; ++i) data[i] = value_at(i, seed);
  return tensor;
}

void Bench::expect_close(double value, double expected, double tolerance) const {
  if (std::abs(value - expected) <= tolerance * std::max(1.0, std::abs(expected))) return;
  throw std::runtime_error("wrong result: " + std::to_string(value) + " instead of " +
                           std::to_string(expected));
}

double Bench::check_sum(const Tensor& result) {
  constexpr uint32_t kWeights = 99;
  double sum = 0;
  for (int64_t i = 0; i < result.num_elements(); ++i)
    sum += result.number_at(i) * (1.0 + double{value_at(i, kWeights)});
  return sum;
}

}  // namespace penstock::bench
