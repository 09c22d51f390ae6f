// Fusion: groups ops that run together. Elementwise ops run tile by tile (tiles.h), products with
// their epilogues (product_epilogues.h), and ops on single elements in registers (scalar_groups.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace penstock::exec {

// A group number for each of `nodes` (op nodes in a valid order): nodes with the same number run as
// one step; kNoIndex is a step of its own. The steps have a valid order.
std::vector<int32_t> find_groups(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace penstock::exec
