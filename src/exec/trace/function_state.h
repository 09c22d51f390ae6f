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

struct SplitGradient;
struct WithTangents;

// What random ops draw by in calls that tapes follow: TensorFlow has a function of its own for each
// kind of them.
struct FollowedStates {
  StateMap by_tape, by_tapes, by_accumulator;  // one tape; gradients of gradients; tangents
};

struct FunctionState {
  FunctionState(std::string a_name, Graph a_graph, std::vector<Variable> some_variables,
                std::vector<Tensor> some_captures);

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
  std::unique_ptr<CompiledFunction> compiled;
  // Those that another one has taken the place of; runs of theirs may not be over.
  struct Retired {
    std::unique_ptr<Graph> simplified;
    std::unique_ptr<CompiledFunction> compiled;
  };
  std::vector<std::unique_ptr<Retired>> retired;
  std::vector<std::shared_ptr<const SplitGradient>> split_gradients;
  std::vector<std::shared_ptr<const WithTangents>> with_tangents;

  // For other shapes of inputs, where the graph leaves them open; the latest first.
  struct Known {
    std::vector<Shape> shapes;
    Function function;
  };
  std::vector<Known> known;
};

// A function that is a part of another: it draws by the states of the whole.
Function make_function(std::string name, Graph graph, std::vector<Variable> variables);

}  // namespace penstock::exec
