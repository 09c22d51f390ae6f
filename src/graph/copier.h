// Copier: nodes of one graph copied into another, with what has become of each value.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace penstock {

class Copier {
 public:
  // Into a graph that is there, or a new one.
  Copier(const Graph& from, Graph& to) : from_(from), to_(to) {
    values_.assign(from.num_values(), kNoIndex);
  }

  const Graph& from() const { return from_; }
  Graph& to() { return to_; }
  // What a value has become: kNoIndex when nothing yet.
  ValueId operator[](ValueId old) const { return values_[static_cast<size_t>(old)]; }
  void set(ValueId old, ValueId made) { values_[static_cast<size_t>(old)] = made; }
  SmallVector<ValueId, 8> inputs(const Node& node) const { return all(from_.inputs(node)); }
  SmallVector<ValueId, 8> all(std::span<const ValueId> old) const;

  // An input of the new graph like this value.
  void add_input(ValueId old);
  // The node, an input too; values that have become something already stay that.
  void copy(const Node& node);
  // A control node that does it in another way, of these inputs, with one output more where `extra`
  // says so.
  NodeId copy_control(const Node& node, std::shared_ptr<const Control> control,
                      std::span<const ValueId> inputs, const OutputSpec* extra = nullptr);
  // Outputs and writes, as those of the old graph.
  void finish();

 private:
  void set_outputs(const Node& node, NodeId made);

  const Graph& from_;
  Graph& to_;
  std::vector<ValueId> values_;
};

// A copy of `region` with other inputs: each stands for an input of `region`, or, with kNoIndex, is
// one more. Its outputs are values of `region`, or inputs of the copy.
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
