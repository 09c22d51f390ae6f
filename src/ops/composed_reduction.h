// What reductions made of other ops share.
#pragma once

#include <span>

#include <penstock/ops/grad_helpers.h>

namespace penstock {

// `reduced`, whose reduced axes have size 1, without them unless they are to stay.
inline Tensor without_reduced_axes(const Tensor& reduced, std::span<const int64_t> axes,
                                   bool keepdims) {
  if (keepdims || reduced.rank() == 0 || axes.empty()) return reduced;
  if (is_every_axis(axes)) return reshape(reduced, shape_tensor(Shape{}));
  return squeeze(reduced, axes);
}

}  // namespace penstock
