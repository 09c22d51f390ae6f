// Control nodes without what nobody needs: outputs, states that no other needs, inputs that no
// region reads. What is left out of a region is not worked out.
#pragma once

#include "graph/graph.h"

namespace penstock {

// Control nodes without outputs, states and inputs that nobody needs.
Graph trim_controls(const Graph& graph);

}  // namespace penstock
