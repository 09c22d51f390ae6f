#include "graph/extract.h"

#include <penstock/base/check.h>

namespace penstock {

Graph extract(const Graph& graph, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
              std::span<const Write> writes, bool with_calls) {
  Graph part;
  std::vector<ValueId> values(graph.num_values(), kNoIndex);
  const auto value = [&](ValueId old) -> ValueId& { return values[static_cast<size_t>(old)]; };
  for (ValueId input : inputs)
    value(input) = part.add_input(graph.dtype(input), graph.shape(input));

  std::vector<bool> needed(graph.num_nodes());
  const auto need = [&](ValueId old) {
    if (value(old) == kNoIndex) needed[static_cast<size_t>(graph.node_of(old))] = true;
  };
  for (ValueId output : outputs) need(output);
  for (const Write& write : writes) need(write.value);
  for (size_t n = graph.num_nodes(); n-- > 0;) {
    if (with_calls && has_calls(graph, graph.node(static_cast<NodeId>(n)))) needed[n] = true;
    if (!needed[n]) continue;
    for (ValueId input : graph.inputs(graph.node(static_cast<NodeId>(n)))) need(input);
  }
  for (size_t n = 0; n < graph.num_nodes(); ++n) {
    if (!needed[n]) continue;
    const Node& node = graph.node(static_cast<NodeId>(n));
    PEN_CHECK(node.kind != NodeKind::kInput && "an input that was not named is needed");
    SmallVector<ValueId, 4> uses;
    for (ValueId input : graph.inputs(node)) uses.push_back(value(input));
    const Node& copy = part.node(part.add_copy(graph, node, uses));
    // An input of the new graph stays an input.
    for (ValueId k = 0; k < node.num_outputs; ++k) {
      if (value(node.first_output + k) == kNoIndex)
        value(node.first_output + k) = copy.first_output + k;
    }
  }
  std::vector<ValueId> new_outputs;
  for (ValueId output : outputs) new_outputs.push_back(value(output));
  std::vector<Write> new_writes;
  for (const Write& write : writes) new_writes.push_back({write.slot, value(write.value)});
  part.set_outputs(new_outputs);
  part.set_writes(new_writes);
  return part;
}

}  // namespace penstock
