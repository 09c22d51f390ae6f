// BuilderState: the graph of a GraphBuilder, with the names, the order and the values that a
// program may ask for.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "exec/trace/trace_state.h"
#include "exec/v1/name_table.h"

namespace penstock::exec {

// Where the names of new nodes begin: "" or "layer_1/". The text of a call's own scope is made when
// a name asks for it.
struct Scope {
  std::string text;
  std::optional<Name> of;
};

struct BuilderState : TraceState {
  BuilderState();

  struct VariableSlot {
    DType dtype;
    Shape shape;
    std::vector<ValueId> reads;
  };

  NameTable table;
  std::vector<Name> names;       // of nodes
  std::vector<bool> is_pure;     // of nodes: the same at every run
  std::vector<bool> runs_alone;  // of nodes: pure, and none that is not runs first
  std::vector<VariableSlot> variables;
  std::unordered_map<NodeId, std::vector<NodeId>> control_inputs;
  std::unordered_set<NodeId> ends_of_calls;  // results of functions, which wait for what these do
  Scope scope;
  std::string next_name;           // the next node's, within the scope
  std::optional<Name> next_taken;  // the same, where it is taken already
  bool is_given_name = false;      // of the last call whose name was taken: not by default
  std::vector<NodeId> control;     // what new nodes run after
  bool is_finalized = false;

  void check_open() const override;
  // Takes the name of the call first: constants are named after the inputs, within it. What
  // TensorFlow has as an input and the op as an attribute becomes a constant too.
  void add_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                  SmallVector<ValueId, 4>& values) override;
  ValueId add_constant(const Tensor& tensor) override;
  // Gives a new node its name and its place.
  void added(NodeId id) override;
  // The results of a function are there only when all that it does is done: what it prints,
  // asserts or assigns has no other node that asks for it.
  void called(NodeId first, std::vector<Tensor>& results) override;
  const std::string& scope_text();
  // Takes a name within the scope.
  Name take_name(std::string_view wanted);
  // The name that a call of the op takes, within the scope.
  Name take_call_name(const OpDef& op, std::string_view wanted);
  // Gives a node a name that is taken; another one where a node has that already.
  void set_name(NodeId id, Name wanted) { names[static_cast<size_t>(id)] = table.for_node(wanted); }
  NodeId find(std::string_view wanted) const;
  // The value of a pure node. Values that were asked for are remembered, as far as they are small:
  // what grows node by node is worked out node by node.
  const Tensor* pure_value(ValueId value);
  std::optional<Tensor> known_value(const Tensor& tensor) override;

 private:
  // Takes names within the scope, for nodes that there are none of.
  void take_names(std::string_view names_of_nodes);
  // The name of a call's result that depends on the call.
  Name take_late_name(const LateName& late, const Name& of_call);
  void add_attr_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs);
  void remember(ValueId value, Tensor tensor);

  // Small constants by their content: those that are equal share a buffer.
  std::unordered_multimap<uint64_t, Tensor> shared_;
  std::unordered_map<ValueId, Tensor> remembered_;
  std::deque<ValueId> remembered_order_;
};

// What the node is called by default: its op, or its kind.
std::string_view type_of(const Graph& graph, const Node& node);

}  // namespace penstock::exec
