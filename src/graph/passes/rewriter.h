// Rewriter: the walk that passes share. It copies a graph node by node. Before a call is added, the
// steps of the pass may replace it with existing values or other calls.
//
// Steps see the new graph, where everything before the call is already simplified: one walk is
// enough.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/call_table.h"
#include "graph/passes/constants.h"

namespace penstock {

using Values = SmallVector<ValueId, 2>;

class Rewriter {
 public:
  // The values that replace a call, or none.
  using Step = std::optional<Values> (*)(Rewriter& rewriter, const Call& call);
  struct Options {
    std::span<const Step> steps;
    bool shares_constants = false;
    bool only_own_constants = false;  // only constants that nobody else holds
    bool merges_calls = false;
    // The levels of nested regions to rewrite. Deeper ones wait until the executables of the
    // enclosing regions are made; otherwise each would be rewritten once for every level above it.
    int depth = 1;
  };

  Rewriter(const Graph& from, const Options& options);
  Graph run();

  // For steps.
  const Graph& graph() const { return to_; }
  // A constant, or an equal value that already exists.
  ValueId constant(const Tensor& tensor);
  ValueId fill(const Shape& shape, const Tensor& value, int32_t location);
  // Adds a call, which the steps see in turn.
  Values call(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs, int32_t location);

 private:
  ValueId copy_leaf(const Node& node);
  void copy_op(const Node& node);
  void copy_control(const Node& node);
  void copy_assign(const Node& node);
  // Maps the outputs of the old node to those of the new one.
  void map_outputs(const Node& node, NodeId id);
  bool may_be_filled(ValueId constant) const;
  Values emit(const Call& call);
  ValueId map(ValueId value) const { return map_[static_cast<size_t>(value)]; }

  const Graph& from_;
  Options options_;
  Graph to_;
  std::vector<ValueId> map_;  // from values of the old graph to those of the new one
  ConstantPool constants_;
  CallTable calls_;
};

// The graph after one step.
inline Graph rewrite(const Graph& graph, Rewriter::Step step) {
  return Rewriter(graph, {.steps = {&step, 1}}).run();
}

}  // namespace penstock
