// Known elements: what is known of the values of small integer tensors while a graph is traced.
//
// A shape vector such as [tf.shape(x)[0], 10] is known in part: its second element is 10 whatever x
// is. An element is known when it is a constant, a known dimension, or was moved (Trait::kMoves)
// or computed (Trait::kElementwise) from known elements alone; nothing is concluded from sizes that
// were tried.
#pragma once

#include <optional>

#include <penstock/ops/context.h>
#include <penstock/tensor/tensor.h>

namespace penstock::exec {

struct TraceState;

// Integers of which some may not be known.
using SomeInts = SmallVector<std::optional<int64_t>, 8>;

// The elements of an int32 or int64 tensor of at most one dimension, those that are not known
// without a value; none for other tensors, and where their number is not known.
std::optional<SomeInts> known_elements(TraceState& trace, const Tensor& tensor);

// The values as an int32 or int64 tensor.
Tensor int_tensor(std::span<const int64_t> values, DType dtype, const Shape& shape);
bool are_known(const SomeInts& elements);
// A tensor of these elements, with values(k) for the k-th, where it is not known.
// Pre: `like` has as many elements.
template <typename Values>
Tensor as_tensor(const SomeInts& elements, const Tensor& like, const Values& values) {
  IntVector all;
  for (size_t k = 0; k < elements.size(); ++k)
    all.push_back(elements[k] ? *elements[k] : values(k));
  return int_tensor(all, like.dtype(), like.shape());
}

}  // namespace penstock::exec
