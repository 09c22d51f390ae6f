#include <algorithm>

#include "graph/simplify.h"

namespace penstock {
namespace {

std::vector<bool> needed_nodes(const Graph& graph) {
  std::vector<bool> needed(graph.num_nodes());
  const auto need = [&](ValueId value) {
    needed[static_cast<size_t>(graph.node_of(value))] = true;
  };
  for (ValueId output : graph.outputs()) need(output);
  for (const Write& write : graph.writes()) need(write.value);
  for (ValueId input : graph.inputs()) need(input);  // the caller gives them all the same
  for (size_t n = graph.num_nodes(); n-- > 0;) {
    if (!needed[n]) continue;
    for (ValueId input : graph.inputs(graph.node(static_cast<NodeId>(n)))) need(input);
  }
  return needed;
}

}  // namespace

Graph drop_dead_code(Graph graph) {
  const std::vector<bool> needed = needed_nodes(graph);
  if (std::find(needed.begin(), needed.end(), false) == needed.end()) return graph;
  Graph made;
  std::vector<ValueId> map(graph.num_values(), kNoIndex);
  const auto mapped = [&](ValueId value) { return map[static_cast<size_t>(value)]; };
  for (size_t n = 0; n < needed.size(); ++n) {
    if (!needed[n]) continue;
    const Node& node = graph.node(static_cast<NodeId>(n));
    SmallVector<ValueId, 4> inputs;
    for (ValueId input : graph.inputs(node)) inputs.push_back(mapped(input));
    const ValueId first = made.add_copy(graph, node, inputs);
    for (ValueId k = 0; k < node.num_outputs; ++k)
      map[static_cast<size_t>(node.first_output + k)] = first + k;
  }
  made.set_results_as(graph, mapped);
  return made;
}

}  // namespace penstock
