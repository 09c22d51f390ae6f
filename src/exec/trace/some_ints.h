// SomeInts: the elements of a small integer tensor, some of which may be unknown.
#pragma once

#include <optional>
#include <span>

#include <penstock/base/small_vector.h>
#include <penstock/ops/context.h>
#include <penstock/tensor/tensor.h>

namespace penstock::exec {

using SomeInts = SmallVector<std::optional<int64_t>, 8>;

bool are_known(const SomeInts& elements);
// The values as an int32 or int64 tensor.
Tensor int_tensor(std::span<const int64_t> values, DType dtype, const Shape& shape);
// A tensor of these elements, with values(k) for an unknown k-th element. Pre: `like` has as many
// elements.
template <typename Values>
Tensor as_tensor(const SomeInts& elements, const Tensor& like, const Values& values) {
  IntVector all;
  for (size_t k = 0; k < elements.size(); ++k)
    all.push_back(elements[k] ? *elements[k] : values(k));
  return int_tensor(all, like.dtype(), like.shape());
}

}  // namespace penstock::exec
