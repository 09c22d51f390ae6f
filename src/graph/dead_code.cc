#include <algorithm>

#include "graph/extract.h"
#include "graph/simplify.h"

namespace penstock {

Graph drop_dead_code(Graph graph) {
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
  if (std::find(needed.begin(), needed.end(), false) == needed.end()) return graph;
  return extract(graph, graph.inputs(), graph.outputs(), graph.writes());
}

}  // namespace penstock
