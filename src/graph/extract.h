// extract: a part of a graph as a graph of its own.
#pragma once

#include <span>

#include "graph/graph.h"

namespace penstock {

// What `outputs` and `writes` need, up to `inputs`, which become the new graph's inputs in their
// order. Constants and reads that are needed come along; inputs of the old graph that are neither
// among `inputs` nor needed do not; calls out of the graph only where they are wanted. Pre: nothing
// else of the old graph's inputs is needed.
Graph extract(const Graph& graph, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
              std::span<const Write> writes, bool with_calls = false);

}  // namespace penstock
