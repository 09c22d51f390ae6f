// find_steps: splits a closed graph into steps.
#pragma once

#include <vector>

#include "exec/compile/fusion/step.h"
#include "graph/graph.h"

namespace penstock::exec {

// The steps that the graph's results need, in a valid order. The places of their values remain to
// be filled in.
std::vector<Step> find_steps(const Graph& graph);

}  // namespace penstock::exec
