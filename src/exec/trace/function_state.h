// FunctionState: the contents of a Function: its graph, its compiled program, and its gradient.
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

// The random states of calls under tapes: TensorFlow has a separate function for each kind of tape.
struct FollowedStates {
  StateMap by_tape, by_tapes, by_accumulator;  // one tape; gradients of gradients; tangents
};

struct FunctionState {
  FunctionState(std::string a_name, Graph a_graph, std::vector<Variable> some_variables,
                std::vector<Tensor> some_captures);

  std::string name;
  Graph graph;
  std::vector<Variable> variables;  // by slot
  std::vector<Tensor> captures;     // tensors of an outer trace: the graph's last inputs
  const bool is_planned;            // as a whole
  const bool draws_in_controls;
  const bool has_halves;  // a call under a tape can run as two planned halves
  const bool has_known_inputs;

  bool has_custom_gradients = false;         // of a region: see Control
  std::shared_ptr<FollowedStates> followed;  // shared by all shapes; null if nothing is random

  // A member of `followed`; null if there is none.
  StateMap* states(StateMap FollowedStates::* which) const {
    return followed == nullptr ? nullptr : &((*followed).*which);
  }

  std::mutex mutex;                   // guards the members below, which are created on first use
  std::unique_ptr<Graph> simplified;  // the graph that runs; tapes and outer traces see `graph`
  std::unique_ptr<CompiledFunction> compiled;
  // Programs that were replaced; they may still be running.
  struct Retired {
    std::unique_ptr<Graph> simplified;
    std::unique_ptr<CompiledFunction> compiled;
  };
  std::vector<std::unique_ptr<Retired>> retired;
  std::vector<std::shared_ptr<const SplitGradient>> split_gradients;
  std::vector<std::shared_ptr<const WithTangents>> with_tangents;

  // Functions for other input shapes, if the graph leaves them open; latest first.
  struct Known {
    std::vector<Shape> shapes;
    Function function;
  };
  std::vector<Known> known;
};

// A function that is part of another: it uses the random states of the whole.
Function make_function(std::string name, Graph graph, std::vector<Variable> variables);

}  // namespace penstock::exec
