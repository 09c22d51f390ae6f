// The nodes that a session's run needs: those it interprets, and those among them with effects.
//
// As in TensorFlow, a node runs if a fetch needs its data. A consumer that needs only a shape does
// not run the node if the graph knows the shape without the feeds. A gradient interprets the calls
// on its path, but that alone does not run what comes before them, such as an assignment that one
// of them waits for.
#pragma once

#include <span>
#include <vector>

#include "exec/v1/builder_state.h"

namespace penstock::exec {

struct Needs {
  // In graph order, in which they run.
  std::vector<NodeId> nodes;
  // Those that draw random numbers, even if nobody reads them.
  std::vector<NodeId> drawing;
};

Needs needs_of(const BuilderState& state, std::span<const Tensor> feeds,
               std::span<const Tensor> fetches, std::span<const int32_t> targets);

}  // namespace penstock::exec
