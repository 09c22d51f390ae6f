// Interpreter: a graph's nodes called one by one, as ops: inside another trace they become part of
// it, under a tape they are recorded, and otherwise they run.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <penstock/autodiff/tape.h>

#include "exec/trace/random_states.h"
#include "graph/control.h"
#include "graph/graph.h"

namespace penstock {
class Variable;
}

namespace penstock::exec {

// The numbers that loops have got so far: those of the graph to those of its copies.
using LoopNumbers = std::unordered_map<uint64_t, uint64_t>;
// How a control node is called (control_calls.h): its regions are called in turn.
using ControlFn = Tensors (*)(const std::shared_ptr<const Control>& control,
                              std::span<const Tensor* const> inputs, LoopNumbers& loops,
                              StateMap* states);

class Interpreter {
 public:
  // `inputs` are all of the graph's. Nothing that is not `needed` is called. Random ops draw by the
  // graph's states, or those that `states` has for them.
  Interpreter(const Graph& graph, std::span<const Tensor* const> inputs,
              std::span<const Variable> variables, std::vector<bool> needed, ControlFn call_control,
              StateMap* states = nullptr);

  // Keeps a value to the end, which otherwise goes when nothing is left that uses it.
  void keep(ValueId value) { ++uses_[static_cast<size_t>(value)]; }
  // What a node that assigns does. kNow: it assigns. kAndRead: and gives what the variable holds
  // then, so that gradients at it are the variable's. kPass: nothing, its value is passed on.
  enum class Assigns : uint8_t { kNow, kAndRead, kPass };
  void set_assigns(Assigns assigns) { assigns_ = assigns; }
  // Calls a node. Pre: it is needed, and so are nodes before it that have been called.
  void step(NodeId id);
  // Calls all.
  void run();

  const Tensor& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  // A value that was made elsewhere.
  void give(ValueId id, Tensor tensor) {
    set(id, std::move(tensor));
    watch(id);
  }
  // A use of a value that was made elsewhere is over.
  void drop_use(ValueId id);

 private:
  void set(ValueId id, Tensor tensor) { values_[static_cast<size_t>(id)] = std::move(tensor); }
  // A gradient node and the tape that records the way from its sources to its targets.
  struct GradientTape {
    NodeId node;
    std::unique_ptr<Tape> tape;
  };

  void add_gradient_tape(NodeId id);
  const Tensor& input(int32_t index) const;
  void read(const Node& node);
  void assign(const Node& node);
  void call(const Node& node, std::span<const Tensor* const> inputs);
  Tensors call_op(const Node& node, std::span<const Tensor* const> inputs);
  // Sets a value that may be the same tensor as another one: tapes tell them apart.
  void set_apart(ValueId id, const Tensor& tensor);
  void call_taped(NodeId id, const Node& node);
  void call_gradient(NodeId id, const Node& node);
  // Tapes watch a value that one of them is for.
  void watch(ValueId value);

  const Graph& graph_;
  std::span<const Tensor* const> inputs_;
  std::span<const Variable> variables_;
  std::vector<bool> needed_;
  ControlFn call_control_;
  StateMap* states_;
  Assigns assigns_ = Assigns::kNow;
  std::vector<int32_t> uses_;  // that are still to come
  std::vector<Tensor> values_;
  LoopNumbers loops_;
  std::vector<GradientTape> gradient_tapes_;
  std::vector<std::vector<int32_t>> taped_by_;   // of nodes, where there are gradient tapes
  std::vector<std::vector<int32_t>> source_of_;  // of values, likewise
};

}  // namespace penstock::exec
