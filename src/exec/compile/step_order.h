// Step order: orders the steps of a graph for the lowest peak memory.
//
//   step  the unit that runs as one instruction (fusion/step.h)
//   item  the memory that a step allocates, shared by all values that alias it
//
// The order of tracing is one candidate, a greedy scheduler's another; for small graphs all orders
// are searched. Stateful ops keep their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/compile/fusion/step.h"
#include "graph/graph.h"

namespace penstock::exec {

// `steps` are in a valid order. `control_scratch` has the scratch bytes of each control of the
// graph.
std::vector<Step> order_steps(const Graph& graph, std::vector<Step> steps,
                              std::span<const int64_t> control_scratch);

}  // namespace penstock::exec
