// What a run of a session needs: all nodes that it interprets, and what of them has effects.
//
// As in TensorFlow a node runs where a fetch needs its data. What asks for no more than a shape
// does not run a node where the graph knows that shape by itself, without what is fed. A gradient
// interprets the calls that it leads through, but that alone does not run what comes before them:
// an assignment that one of them waits for, say.
#pragma once

#include <span>
#include <vector>

#include "exec/v1/builder_state.h"

namespace penstock::exec {

struct Needs {
  // In the order of the graph, in which they run.
  std::vector<NodeId> nodes;
  // Those of them that draw random numbers, though nobody may read these.
  std::vector<NodeId> drawing;
};

Needs needs_of(const BuilderState& state, std::span<const Tensor> feeds,
               std::span<const Tensor> fetches, std::span<const int32_t> targets);

}  // namespace penstock::exec
