// Fusion: which ops run together: elementwise ones tile by tile (tiles.h), products with what
// is done to their elements at once (product_epilogues.h), those on single elements
// (scalar_groups.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace penstock::exec {

// A number for each of `nodes` (op nodes in an order in which they can run): those with the same
// number run as one step, and kNoIndex is a step of its own. Steps can be put into an order in
// which they can run.
std::vector<int32_t> find_groups(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace penstock::exec
