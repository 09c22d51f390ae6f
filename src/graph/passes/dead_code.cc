#include "graph/passes/dead_code.h"

#include <algorithm>

#include "graph/extract.h"

namespace penstock {

Graph drop_dead_code(Graph graph) {
  std::vector<ValueId> wanted = results_of(graph);
  // The caller passes all inputs, needed or not.
  wanted.insert(wanted.end(), graph.inputs().begin(), graph.inputs().end());
  const std::vector<bool> needed = needed_nodes(graph, wanted, true);
  if (std::find(needed.begin(), needed.end(), false) == needed.end()) return graph;
  return extract(graph, graph.inputs(), graph.outputs(), graph.writes(), true);
}

}  // namespace penstock
