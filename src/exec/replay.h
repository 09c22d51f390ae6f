// replay: a graph's nodes called one by one, as ops: inside another trace they become part of it,
// under a tape they are recorded, and otherwise they run.
#pragma once

#include <span>

#include "graph/graph.h"

namespace penstock {
class Variable;
}

namespace penstock::exec {

struct Replayed {
  std::vector<Tensor> values;  // by ValueId; undefined where nothing asked for them
};

// The values that `wanted` need. `inputs` are all of the graph's.
Replayed replay(const Graph& graph, std::span<const Tensor* const> inputs,
                std::span<const Variable> variables, std::span<const ValueId> wanted);

}  // namespace penstock::exec
