#include "graph/passes/simplify.h"

#include <algorithm>

#include "graph/passes/count_trips.h"
#include "graph/passes/dead_code.h"
#include "graph/passes/fold_constants.h"
#include "graph/passes/hoist_invariants.h"
#include "graph/passes/rewriter.h"
#include "graph/passes/rules.h"
#include "graph/passes/trim_controls.h"

namespace penstock {
namespace {

// Development builds verify the graph after every pass.
Graph checked(Graph graph) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  verify(graph);
#endif
  return graph;
}

bool has_controls(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(),
                             [](const Node& node) { return node.kind == NodeKind::kControl; });
}

}  // namespace

Graph share_constants(const Graph& graph) {
  return Rewriter(graph, {.steps = {}, .shares_constants = true}).run();
}

Graph shrink_constants(Graph graph) {
  for (size_t i = 0; i < graph.num_constants(); ++i) {
    const Tensor& tensor = graph.constant(static_cast<int32_t>(i));
    if (tensor.num_bytes() <= kSmallConstant || !tensor.buffer().is_unique()) continue;
    if (!is_repeated(tensor)) continue;
    return checked(
        Rewriter(graph, {.steps = {}, .shares_constants = true, .only_own_constants = true}).run());
  }
  return graph;
}

Graph merge_equal_calls(const Graph& graph) {
  return Rewriter(graph, {.steps = {}, .merges_calls = true}).run();
}

Graph simplify(const Graph& graph) {
  static constexpr Rewriter::Step kSteps[] = {fold_step, rules_step};
  const auto rewrite_all = [](const Graph& from) {
    return checked(
        Rewriter(from, {.steps = kSteps, .shares_constants = true, .merges_calls = true}).run());
  };
  Graph rewritten = rewrite_all(graph);
  if (has_controls(rewritten)) {
    rewritten = checked(trim_controls(count_trips(std::move(rewritten))));
    rewritten = rewrite_all(checked(hoist_invariants(rewritten)));
  }
  return checked(drop_dead_code(std::move(rewritten)));
}

}  // namespace penstock
