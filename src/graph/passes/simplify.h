// Passes: each makes a new graph that gives the same results, to the bit. Inputs, the slots of
// variables and the order of outputs stay; every node keeps the user's line.
//
// They are for graphs that only run: what tapes record is the graph as it was traced, because a
// gradient depends on nodes that a result does not need (StopGradient, a watched constant).
#pragma once

#include "graph/graph.h"

namespace penstock {

// Equal constants once; a large one that repeats a value is a Fill of that value.
Graph share_constants(const Graph& graph);
// As share_constants, for those constants only that nobody but the graph holds. Gradients do not
// notice: what nobody else holds is watched by no tape.
Graph shrink_constants(Graph graph);
// Equal calls once. Stateful ops stay, and so do those that are cheaper made again than kept.
Graph merge_equal_calls(const Graph& graph);

// All passes of this folder that a graph is better off with, in turn.
Graph simplify(const Graph& graph);

}  // namespace penstock
