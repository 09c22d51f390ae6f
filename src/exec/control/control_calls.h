// Calls of control nodes, region by region, and calls of regions, node by node.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/eager/interpreter.h"
#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

// A control node called with these inputs: inside a trace it becomes part of that, worked out for
// their shapes; otherwise it runs, region by region, and tapes record what these do. `loops` are
// the numbers that loops have got so far, `states` what random ops draw by instead of the regions'
// own states.
Tensors call_control(const std::shared_ptr<const Control>& control,
                     std::span<const Tensor* const> inputs, LoopNumbers& loops, StateMap* states);

// The outputs of a region, its nodes called one by one.
std::vector<Tensor> interpret_region(const Graph& region, std::span<const Tensor> inputs,
                                     StateMap* states = nullptr);

}  // namespace penstock::exec
