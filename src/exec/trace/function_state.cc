#include "exec/trace/function_state.h"

#include <algorithm>

namespace penstock::exec {
namespace {

// Whether a branch or loop of the graph draws random numbers: then its gradient must follow the
// forward run.
bool has_drawing_controls(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return node.kind == NodeKind::kControl && is_stateful(graph, node);
  });
}

// Whether a plan can write the variables: one of open shape may change its size.
bool writes_known_shapes(const Graph& graph, std::span<const Variable> variables) {
  return std::ranges::all_of(graph.writes(), [&](const Write& write) {
    return variables[static_cast<size_t>(write.slot)].shape().is_known();
  });
}

}  // namespace

FunctionState::FunctionState(std::string a_name, Graph a_graph,
                             std::vector<Variable> some_variables,
                             std::vector<Tensor> some_captures)
    : name(std::move(a_name)),
      graph(std::move(a_graph)),
      variables(std::move(some_variables)),
      captures(std::move(some_captures)),
      is_planned(is_closed(graph) && writes_known_shapes(graph, variables)),
      draws_in_controls(has_drawing_controls(graph)),
      has_halves(is_planned && !draws_in_controls),
      has_known_inputs(std::ranges::all_of(
          graph.inputs(), [&](ValueId input) { return graph.shape(input).is_known(); })) {
  const auto draws = [](const Node& node) {
    return node.kind == NodeKind::kOp && node.op->traits.has(Trait::kStateful);
  };
  if (draws_in_controls || std::ranges::any_of(graph.nodes(), draws))
    followed = std::make_shared<FollowedStates>();
}

Function make_function(std::string name, Graph graph, std::vector<Variable> variables) {
  auto state = std::make_shared<FunctionState>(std::move(name), std::move(graph),
                                               std::move(variables), std::vector<Tensor>());
  state->followed = nullptr;
  return Function(std::move(state));
}

}  // namespace penstock::exec
