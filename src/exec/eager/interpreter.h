// Interpreter: calls a graph's nodes one by one, as ops. Inside another trace they become part of
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

// Maps the loop numbers of the graph to those of its copies.
using LoopNumbers = std::unordered_map<uint64_t, uint64_t>;
// Calls a control node (control_calls.h): its regions are called in turn.
using ControlFn = Tensors (*)(const std::shared_ptr<const Control>& control,
                              std::span<const Tensor* const> inputs, LoopNumbers& loops,
                              StateMap* states);

class Interpreter {
 public:
  // `inputs` are all of the graph's inputs. Only `needed` nodes are called. Random ops use the
  // graph's states, or those that `states` maps them to.
  Interpreter(const Graph& graph, std::span<const Tensor* const> inputs,
              std::span<const Variable> variables, std::vector<bool> needed, ControlFn call_control,
              StateMap* states = nullptr);

  // Keeps a value to the end; by default it is freed after its last use.
  void keep(ValueId value) { ++uses_[static_cast<size_t>(value)]; }
  // What an assign node does. kNow: it assigns. kAndRead: it assigns and returns the variable's
  // value, so that gradients at it are the variable's. kPass: it only passes its value on.
  enum class Assigns : uint8_t { kNow, kAndRead, kPass };
  void set_assigns(Assigns assigns) { assigns_ = assigns; }
  // Calls a node. Pre: it is needed, and all needed nodes before it have been called.
  void step(NodeId id);
  // Calls all needed nodes.
  void run();

  const Tensor& value(ValueId id) const { return values_[static_cast<size_t>(id)]; }
  // Sets a value that was computed elsewhere.
  void give(ValueId id, Tensor tensor) {
    set(id, std::move(tensor));
    watch(id);
  }
  // Ends a use, made elsewhere, of a value.
  void drop_use(ValueId id);

 private:
  void set(ValueId id, Tensor tensor) { values_[static_cast<size_t>(id)] = std::move(tensor); }
  // A gradient node and the tape that records the path from its sources to its targets.
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
  // Sets a value that may be the same tensor as another, as a distinct one: tapes tell them apart.
  void set_apart(ValueId id, const Tensor& tensor);
  void call_taped(NodeId id, const Node& node);
  void call_gradient(NodeId id, const Node& node);
  // Makes gradient tapes watch a value that is one of their sources.
  void watch(ValueId value);

  const Graph& graph_;
  std::span<const Tensor* const> inputs_;
  std::span<const Variable> variables_;
  std::vector<bool> needed_;
  ControlFn call_control_;
  StateMap* states_;
  Assigns assigns_ = Assigns::kNow;
  std::vector<int32_t> uses_;  // remaining uses, of values
  std::vector<Tensor> values_;
  LoopNumbers loops_;
  std::vector<GradientTape> gradient_tapes_;
  std::vector<std::vector<int32_t>> taped_by_;   // of nodes, if there are gradient tapes
  std::vector<std::vector<int32_t>> source_of_;  // of values, likewise
};

}  // namespace penstock::exec
