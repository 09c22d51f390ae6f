// Known elements: what is known of the values of small integer tensors while a graph is traced.
//
// A shape vector such as [tf.shape(x)[0], 10] is known in part: its second element is 10 whatever x
// is. An element is known when it is a constant, a known dimension, or was moved (Trait::kMoves)
// or computed (Trait::kElementwise) from known elements alone; nothing is concluded from sizes that
// were tried.
#pragma once

#include <optional>

#include <penstock/tensor/tensor.h>

#include "exec/trace/some_ints.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {

// The elements of an int32 or int64 tensor of at most one dimension, those that are not known
// without a value; none for other tensors, and where their number is not known.
std::optional<SomeInts> known_elements(TraceState& trace, const Tensor& tensor);

}  // namespace penstock::exec
