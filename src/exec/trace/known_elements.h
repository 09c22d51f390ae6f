// Known elements: the known values in small integer tensors while a graph is traced.
//
// A shape vector such as [tf.shape(x)[0], 10] is partly known: its second element is always 10. An
// element is known if it is a constant or a known dimension, or if it was moved (Trait::kMoves) or
// computed (Trait::kElementwise) from known elements alone. Nothing is concluded from sizes that
// were tried.
#pragma once

#include <optional>

#include <penstock/tensor/tensor.h>

#include "exec/trace/some_ints.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {

// The elements of an int32 or int64 tensor of rank 0 or 1; unknown elements have no value. None for
// other tensors, and if the number of elements is unknown.
std::optional<SomeInts> known_elements(TraceState& trace, const Tensor& tensor);

}  // namespace penstock::exec
