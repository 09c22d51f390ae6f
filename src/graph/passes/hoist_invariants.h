// Loop-invariant code motion: what a region computes from invariants alone is computed once, before
// the loop.
#pragma once

#include "graph/graph.h"

namespace penstock {

// Moves computations on invariants in front of their loops.
Graph hoist_invariants(const Graph& graph);

}  // namespace penstock
