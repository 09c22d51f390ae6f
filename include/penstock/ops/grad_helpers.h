// Helpers for writing gradients, besides the op functions themselves.
#pragma once

#include <span>

#include <penstock/base/export.h>
#include <penstock/ops/gradient.h>
#include <penstock/ops/operators.h>

namespace penstock {

// `dy` summed over the broadcast dimensions of x, so that it has x's shape.
PEN_API Tensor sum_to_like(Tensor dy, const Tensor& x);
// x's shape as a tensor (int64), for ops that take a shape as an input.
PEN_API Tensor shape_tensor(const Tensor& x);
PEN_API Tensor shape_tensor(const Shape& shape);
// A list of integers (int64), for ops that take axes or sizes as an input.
PEN_API Tensor int_tensor(std::span<const int64_t> values);
PEN_API Tensor zeros(DType dtype, const Shape& shape);
PEN_API Tensor ones(DType dtype, const Shape& shape);
PEN_API Tensor zeros_like(const Tensor& x);
PEN_API Tensor ones_like(const Tensor& x);
// `value` as a scalar of x's dtype.
PEN_API Tensor scalar_like(const Tensor& x, double value);

}  // namespace penstock
