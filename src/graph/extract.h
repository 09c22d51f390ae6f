// extract: a part of a graph as a new graph.
#pragma once

#include <span>

#include "graph/graph.h"

namespace penstock {

// The part that `outputs` and `writes` need, up to `inputs`, which become the new graph's inputs in
// their order. Needed constants and reads are included. Other inputs of the old graph are not, and
// host calls only on request. Pre: no other input of the old graph is needed.
Graph extract(const Graph& graph, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
              std::span<const Write> writes, bool with_calls = false);

}  // namespace penstock
