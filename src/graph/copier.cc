#include "graph/copier.h"

#include <penstock/base/check.h>

namespace penstock {

SmallVector<ValueId, 8> Copier::all(std::span<const ValueId> old) const {
  SmallVector<ValueId, 8> found;
  for (ValueId value : old) {
    PEN_CHECK((*this)[value] != kNoIndex);
    found.push_back((*this)[value]);
  }
  return found;
}

void Copier::add_input(ValueId old) { set(old, to_.add_input(from_.dtype(old), from_.shape(old))); }

void Copier::copy(const Node& node) {
  if (node.kind == NodeKind::kInput) {
    if ((*this)[node.first_output] == kNoIndex) add_input(node.first_output);
    return;
  }
  set_outputs(node, to_.add_copy(from_, node, inputs(node)));
}

void Copier::set_outputs(const Node& node, NodeId new_node) {
  const ValueId first = to_.node(new_node).first_output;
  for (ValueId k = 0; k < node.num_outputs; ++k) {
    if ((*this)[node.first_output + k] == kNoIndex) set(node.first_output + k, first + k);
  }
}

NodeId Copier::copy_control(const Node& node, std::shared_ptr<const Control> control,
                            std::span<const ValueId> inputs, const OutputSpec* extra) {
  SmallVector<OutputSpec, 8> specs;
  for (ValueId k = node.first_output; k < node.first_output + node.num_outputs; ++k)
    specs.push_back({from_.dtype(k), from_.shape(k)});
  if (extra != nullptr) specs.push_back(*extra);
  const NodeId new_node =
      to_.add_control(std::move(control), inputs, specs, to_.add_location(from_.location(node)));
  set_outputs(node, new_node);
  return new_node;
}

void Copier::finish() {
  to_.set_outputs(all(from_.outputs()));
  SmallVector<Write, 8> writes;
  for (const Write& write : from_.writes()) writes.push_back({write.slot, (*this)[write.value]});
  to_.set_writes(writes);
}

Graph with_inputs(const Graph& region, std::span<const RegionInput> inputs,
                  std::span<const RegionOutput> outputs) {
  Graph copy;
  Copier copier(region, copy);
  for (const RegionInput& input : inputs) {
    const ValueId value = copy.add_input(input.dtype, input.shape);
    if (input.number != kNoIndex)
      copier.set(region.inputs()[static_cast<size_t>(input.number)], value);
  }
  for (const Node& node : region.nodes()) {
    if (node.kind != NodeKind::kInput) copier.copy(node);
  }
  SmallVector<ValueId, 8> results;
  for (const RegionOutput& output : outputs) {
    results.push_back(output.value != kNoIndex ? copier[output.value]
                                               : copy.inputs()[static_cast<size_t>(output.input)]);
  }
  copy.set_outputs(results);
  return copy;
}

}  // namespace penstock
