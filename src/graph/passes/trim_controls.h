// Removes unused parts of control nodes: outputs, states that no other state needs, inputs that no
// region reads, and the computations behind them.
#pragma once

#include "graph/graph.h"

namespace penstock {

// Control nodes without unused outputs, states and inputs.
Graph trim_controls(const Graph& graph);

}  // namespace penstock
