// Adds control nodes to a trace, with their gradients, which are control nodes too.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/trace/trace_state.h"
#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

struct StateMap;

// Calls the nodes of a region (control_calls.h) and returns its outputs.
using RegionFn = std::vector<Tensor> (*)(const Graph& region, std::span<const Tensor> inputs,
                                         StateMap* states);

// Adds a control node to the trace; tapes record its gradient.
Tensors add_control(TraceState& trace, const std::shared_ptr<const Control>& control,
                    std::span<const Tensor> inputs, RegionFn call_region);

}  // namespace penstock::exec
