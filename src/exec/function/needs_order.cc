#include "exec/function/needs_order.h"

#include <algorithm>

#include "exec/trace/function_state.h"
#include "graph/control.h"

namespace penstock::exec {
namespace {

bool draws(const Graph& graph) {
  if (!graph.is_stateful()) return false;
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    if (node.kind == NodeKind::kControl)
      return std::ranges::any_of(graph.control(node)->regions,
                                 [](const auto& region) { return draws(*region); });
    return node.kind == NodeKind::kOp && is_stateful(graph, node);
  });
}

}  // namespace

bool needs_order(const Function& function) {
  return function.assigns() || draws(function.state().graph);
}

}  // namespace penstock::exec
