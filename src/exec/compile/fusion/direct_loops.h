// DirectLoop: an elementwise op on few elements, of which every operand has all or one: its loop is
// called at once, where a kernel would first have to find out which one it is, over what.
#pragma once

#include <memory>

#include "exec/compile/fusion/place.h"
#include "graph/graph.h"
#include "kernels/formula.h"

namespace penstock::exec {

struct DirectLoop {
  kernels::Formula::Kind kind;
  kernels::AnyLoop loop;
  int64_t n;
  int strides[3];
  // Of the function's operands; the result is the last. Places are the layout's to fill in.
  Place places[4];
  ValueId values[4] = {kNoIndex, kNoIndex, kNoIndex, kNoIndex};
};

// Null for ops that need their kernel. Pre: the node's output has memory of its own.
std::unique_ptr<DirectLoop> find_direct_loop(const Graph& graph, const Node& node);

}  // namespace penstock::exec
