// Counts the steps of a loop from its graph: a counter that starts at a constant, is incremented by
// a constant in every step, and is compared with one.
#pragma once

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock {

// The number of steps of a loop, or of a gradient's loop; -1 if unknown.
int64_t trip_count(const Graph& graph, const Node& node);
// Sets the number of steps of loops where it is known.
Graph count_trips(Graph graph);

}  // namespace penstock
