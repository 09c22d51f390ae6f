// Order: in which order the steps of a graph run, so that as few bytes as possible are held at the
// worst moment.
//
//   step  what runs as one instruction (fusion/step.h)
//   item  the memory that a step makes: shared by all values that are parts of it
//
// The order in which the ops were traced is one candidate, that of a greedy scheduler another; for
// small graphs all orders are searched. Stateful ops keep their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/compile/fusion/step.h"
#include "graph/graph.h"

namespace penstock::exec {

// `steps` are in an order in which they can run. `control_scratch` are the bytes that each control
// of the graph needs while it runs.
std::vector<Step> order_steps(const Graph& graph, std::vector<Step> steps,
                              std::span<const int64_t> control_scratch);

}  // namespace penstock::exec
