// How many steps a loop takes, where its graph says so: a counter that starts at a constant, gains
// a constant at every step, and is compared with one.
#pragma once

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock {

// Of a loop, or of that of a gradient; -1 where the graph does not say so.
int64_t trip_count(const Graph& graph, const Node& node);
// Loops know how many steps they take, where that can be said.
Graph count_trips(Graph graph);

}  // namespace penstock
