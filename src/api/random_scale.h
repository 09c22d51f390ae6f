// Scales standard random numbers to the requested distribution.
#pragma once

#include <penstock/api/random.h>
#include <penstock/base/error.h>
#include <penstock/ops/operators.h>

namespace penstock::random {

inline Tensor scaled(Tensor values, const NormalOptions& options) {
  if (options.stddev != 1) values = std::move(values) * options.stddev;
  if (options.mean != 0) values = std::move(values) + options.mean;
  return values;
}

inline Tensor scaled(Tensor values, const UniformOptions& options) {
  if (options.low == 0 && options.high == 1) return values;
  return std::move(values) * (options.high - options.low) + options.low;
}

struct IntBounds {
  Tensor low, high;
};
// Throws TypeError unless `dtype` is int32 or int64, InvalidArgumentError for bounds it cannot
// hold.
IntBounds int_bounds(DType dtype, int64_t low, int64_t high);

}  // namespace penstock::random
