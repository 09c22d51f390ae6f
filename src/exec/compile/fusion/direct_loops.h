// DirectLoop: an elementwise op on few elements whose operands each have all elements or one. Its
// loop is called directly; a kernel would first have to select the loop and its operands.
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
  // The operands of the function; the last is the result. The layout fills in the places.
  Place places[4];
  ValueId values[4] = {kNoIndex, kNoIndex, kNoIndex, kNoIndex};
};

// Null for ops that need their kernel. Pre: the node's output has its own memory.
std::unique_ptr<DirectLoop> find_direct_loop(const Graph& graph, const Node& node);

}  // namespace penstock::exec
