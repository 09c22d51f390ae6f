// Checkpoints that a loop shares with its gradient: the states that the gradient would make first,
// the loop keeps on its way.
#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace penstock {

// Gradients of loops keep so many states at most, unless the program said how many.
Graph limit_checkpoints(Graph graph, int64_t most);
// A loop whose gradient is in the same graph keeps the states for it (see Control).
Graph share_loop_checkpoints(Graph graph);

}  // namespace penstock
