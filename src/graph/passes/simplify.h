// Passes: each returns a new graph with bit-identical results. Inputs, slots and the order of
// outputs stay; every node keeps the user's line.
//
// They apply only to graphs that run. Tapes record the graph as traced, because a gradient depends
// on nodes that a result does not need (StopGradient, a watched constant).
#pragma once

#include "graph/graph.h"

namespace penstock {

// Merges equal constants; turns a large one that repeats a value into a Fill.
Graph share_constants(const Graph& graph);
// As share_constants, but only for constants that nobody else holds. Gradients are not affected: no
// tape watches such a constant.
Graph shrink_constants(Graph graph);
// Merges equal calls, except stateful ops and ops that are cheaper to repeat than to keep.
Graph merge_equal_calls(const Graph& graph);

// Applies all passes of this folder that improve a graph, in turn.
Graph simplify(const Graph& graph);

}  // namespace penstock
