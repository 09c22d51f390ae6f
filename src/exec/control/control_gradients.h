// Control nodes in a trace, and their gradients, which are nodes of the same kind.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/trace/trace_state.h"
#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

struct StateMap;

// How the nodes of a region are called (control_calls.h): its outputs.
using RegionFn = std::vector<Tensor> (*)(const Graph& region, std::span<const Tensor> inputs,
                                         StateMap* states);

// Adds a control node to the trace; tapes record how gradients go back through it.
Tensors add_control(TraceState& trace, const std::shared_ptr<const Control>& control,
                    std::span<const Tensor> inputs, RegionFn call_region);

}  // namespace penstock::exec
