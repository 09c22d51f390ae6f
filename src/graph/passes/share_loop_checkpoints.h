// Checkpoints that a loop shares with its gradient: the loop keeps the states that the gradient
// would recompute first.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace penstock {

// Limits the states that loop gradients keep, unless the program set the number.
Graph limit_checkpoints(Graph graph, int64_t most);
// Makes a loop keep states for its gradient if both are in the graph (see Control).
Graph share_loop_checkpoints(Graph graph);

}  // namespace penstock
