// Random tensors: Philox streams, the same numbers as TensorFlow's for the same seeds.
#pragma once

#include <cstdint>
#include <optional>

#include <penstock/base/export.h>
#include <penstock/tensor/tensor.h>

namespace penstock::random {

// From here on the numbers are the same in every run: a call without a seed of its own takes the
// next one of a sequence that `seed` begins.
PEN_API void set_seed(uint64_t seed);

struct NormalOptions {
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed = {};
};
PEN_API Tensor normal(const Shape& shape, const NormalOptions& options);
inline Tensor normal(const Shape& shape) { return normal(shape, NormalOptions()); }

struct UniformOptions {
  double low = 0;
  double high = 1;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed = {};
};
// Floats in [low, high).
PEN_API Tensor uniform(const Shape& shape, const UniformOptions& options);
inline Tensor uniform(const Shape& shape) { return uniform(shape, UniformOptions()); }

}  // namespace penstock::random
