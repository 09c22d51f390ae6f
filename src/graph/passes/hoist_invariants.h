// Loop-invariant code: what a region works out of invariants alone, at every step anew, is worked
// out once before the loop.
#pragma once

#include "graph/graph.h"

namespace penstock {

// What loops work out of invariants is worked out before them.
Graph hoist_invariants(const Graph& graph);

}  // namespace penstock
