// FunctionState: what a Function holds: its graph, the program made of it, and its gradient.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <penstock/exec/function.h>

#include "exec/compiled_function.h"
#include "exec/trace/random_states.h"
#include "graph/graph.h"

namespace penstock::exec {

struct Differentiated;
struct WithTangents;

// Whether a branch or a loop of the graph draws random numbers: then its gradient has to follow
// what it did.
inline bool has_drawing_controls(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return node.kind == NodeKind::kControl && is_stateful(graph, node);
  });
}

// What random ops draw by in calls that tapes follow: TensorFlow has a function of its own for each
// kind of them.
struct FollowedStates {
  StateMap by_tape, by_tapes, by_accumulator;  // one tape; gradients of gradients; tangents
};

// Whether a plan can write the variables: one of open shape may get another size.
inline bool writes_known_shapes(const Graph& graph, std::span<const Variable> variables) {
  return std::ranges::all_of(graph.writes(), [&](const Write& write) {
    return variables[static_cast<size_t>(write.slot)].shape().is_known();
  });
}

struct FunctionState {
  FunctionState(std::string a_name, Graph a_graph, std::vector<Variable> some_variables,
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

  std::string name;
  Graph graph;
  std::vector<Variable> variables;  // by slot
  std::vector<Tensor> captures;     // of an outer trace: the graph's last inputs
  const bool is_planned;            // as a whole
  const bool draws_in_controls;
  const bool has_halves;  // a tape around a call can run it in two planned halves
  const bool has_known_inputs;

  bool has_custom_gradients = false;         // of a region: see Control
  std::shared_ptr<FollowedStates> followed;  // shared by all shapes; null where nothing is random

  // The one of `followed`; null where there are none.
  StateMap* states(StateMap FollowedStates::* which) const {
    return followed == nullptr ? nullptr : &((*followed).*which);
  }

  std::mutex mutex;                   // guards what follows, which is made when it is first needed
  std::unique_ptr<Graph> simplified;  // what runs; tapes and outer traces see `graph`
  std::unique_ptr<Runner> runner;
  // Those that another one has taken the place of; runs of theirs may not be over.
  struct Retired {
    std::unique_ptr<Graph> simplified;
    std::unique_ptr<Runner> runner;
  };
  std::vector<std::unique_ptr<Retired>> retired;
  std::vector<std::shared_ptr<const Differentiated>> differentiated;
  std::vector<std::shared_ptr<const WithTangents>> with_tangents;

  // For other shapes of inputs, where the graph leaves them open; the latest first.
  struct Known {
    std::vector<Shape> shapes;
    Function function;
  };
  std::vector<Known> known;

  // What runs a call. Pre: has_known_inputs.
  Runner& ready();
  // See Function.
  bool fit(int64_t bytes);
  int64_t least_peak_bytes();
  // What would run when gradients of loops kept so many states. Pre: is_planned.
  std::unique_ptr<Retired> with_checkpoints(int64_t most) const;
};

// The outputs of a call whose ops are called one by one. `inputs` are without captures.
std::vector<Tensor> replay_call(const FunctionState& function,
                                std::span<const Tensor* const> inputs, StateMap* states = nullptr);
// The same with other variables, by slot.
std::vector<Tensor> replay_call(const FunctionState& function,
                                std::span<const Tensor* const> inputs,
                                std::span<const Variable> variables, StateMap* states = nullptr);

Function make_function(std::string name, Graph graph, std::vector<Variable> variables);

}  // namespace penstock::exec
