// Common subexpression elimination: calls by op, inputs and attributes.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "graph/graph.h"

namespace penstock {

// An op call that is not yet in the graph.
struct Call {
  const OpDef& op;
  std::span<const ValueId> inputs;
  Attrs attrs;
  std::span<const OutputSpec> outputs;
  int64_t scratch_bytes = 0;
  int32_t location = kNoIndex;
};

// The calls in the graph.
class CallTable {
 public:
  NodeId find(const Graph& graph, const Call& call) const;
  void add(const Graph& graph, NodeId node);

 private:
  std::unordered_multimap<uint64_t, NodeId> found_;
};

}  // namespace penstock
