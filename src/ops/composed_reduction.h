// Helpers shared by reductions composed of other ops.
#pragma once

#include <span>

#include <penstock/ops/grad_helpers.h>

namespace penstock {

// Removes the reduced axes, which have size 1, unless keepdims is set.
inline Tensor without_reduced_axes(const Tensor& reduced, std::span<const int64_t> axes,
                                   bool keepdims) {
  if (keepdims || reduced.rank() == 0 || axes.empty()) return reduced;
  if (is_every_axis(axes)) return reshape(reduced, shape_tensor(Shape{}));
  return squeeze(reduced, axes);
}

}  // namespace penstock
