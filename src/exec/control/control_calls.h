// Calls of control nodes, region by region, and of regions, node by node.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/eager/interpreter.h"
#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

// Calls a control node with these inputs. Inside a trace it becomes part of the trace, for the
// shapes of the inputs. Otherwise it runs region by region, and tapes record the ops. `loops` maps
// loop numbers to those of their copies; `states`, if given, replaces the regions' random states.
Tensors call_control(const std::shared_ptr<const Control>& control,
                     std::span<const Tensor* const> inputs, LoopNumbers& loops, StateMap* states);

// The outputs of a region, its nodes called one by one.
std::vector<Tensor> interpret_region(const Graph& region, std::span<const Tensor> inputs,
                                     StateMap* states = nullptr);

}  // namespace penstock::exec
