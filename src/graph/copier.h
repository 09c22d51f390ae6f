// Copier: copies nodes of one graph into another and tracks the new value of each old one.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace penstock {

class Copier {
 public:
  // Into an existing graph, or a new one.
  Copier(const Graph& from, Graph& to) : from_(from), to_(to) {
    values_.assign(from.num_values(), kNoIndex);
  }

  const Graph& from() const { return from_; }
  Graph& to() { return to_; }
  // The new value of an old one; kNoIndex if there is none yet.
  ValueId operator[](ValueId old) const { return values_[static_cast<size_t>(old)]; }
  void set(ValueId old, ValueId current) { values_[static_cast<size_t>(old)] = current; }
  SmallVector<ValueId, 8> inputs(const Node& node) const { return all(from_.inputs(node)); }
  SmallVector<ValueId, 8> all(std::span<const ValueId> old) const;

  // Adds an input like this value to the new graph.
  void add_input(ValueId old);
  // Copies the node, also an input; values that are already mapped stay.
  void copy(const Node& node);
  // Copies a control node with another control, these inputs, and one more output if `extra` says
  // so.
  NodeId copy_control(const Node& node, std::shared_ptr<const Control> control,
                      std::span<const ValueId> inputs, const OutputSpec* extra = nullptr);
  // Copies the outputs and writes of the old graph.
  void finish();

 private:
  void set_outputs(const Node& node, NodeId new_node);

  const Graph& from_;
  Graph& to_;
  std::vector<ValueId> values_;
};

// A copy of `region` with other inputs: each stands for an input of `region` or, with kNoIndex, is
// new. Its outputs are values of `region`, or inputs of the copy.
struct RegionInput {
  int32_t number;
  DType dtype;
  Shape shape;
};
struct RegionOutput {
  ValueId value = kNoIndex;
  int32_t input = kNoIndex;
};
Graph with_inputs(const Graph& region, std::span<const RegionInput> inputs,
                  std::span<const RegionOutput> outputs);

}  // namespace penstock
