// extract: a part of a graph as a graph of its own.
#pragma once

#include <span>

#include "graph/graph.h"

namespace penstock {

// What `outputs` and `writes` need, up to `inputs`, which become the new graph's inputs in their
// order. Constants and reads that are needed come along; inputs of the old graph that are neither
// among `inputs` nor needed do not. Pre: nothing else of the old graph's inputs is needed.
Graph extract(const Graph& graph, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
              std::span<const Write> writes);

}  // namespace penstock
