// BuilderState: the graph of a GraphBuilder, with node names, order and constant values.
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

// The name prefix of new nodes: "" or "layer_1/". The text of a call's own scope is built on
// demand.
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
  std::vector<bool> runs_alone;  // of nodes: pure, and no impure node runs first
  std::vector<VariableSlot> variables;
  std::unordered_map<NodeId, std::vector<NodeId>> control_inputs;
  std::unordered_set<NodeId> ends_of_calls;  // results of functions, which wait for their effects
  Scope scope;
  std::string next_name;           // the next node's, within the scope
  std::optional<Name> next_taken;  // the same, if already reserved
  bool is_given_name = false;      // the last reserved call name is explicit, not a default
  std::vector<NodeId> control;     // control inputs of new nodes
  bool is_finalized = false;

  void check_open() const override;
  // Reserves the name of the call first: constants are named after the inputs, within it. An
  // attribute that TensorFlow has as an input becomes a constant too.
  void add_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                  SmallVector<ValueId, 4>& values) override;
  ValueId add_constant(const Tensor& tensor) override;
  // Gives a new node its name and order.
  void added(NodeId id) override;
  // Makes the results of a function wait for all its effects: no other node asks for its prints,
  // assertions and assignments.
  void called(NodeId first, std::vector<Tensor>& results) override;
  const std::string& scope_text();
  // Reserves a name within the scope.
  Name take_name(std::string_view wanted);
  // Reserves the name for a call of the op, within the scope.
  Name take_call_name(const OpDef& op, std::string_view wanted);
  // Gives a node a reserved name, or another one if a node already has it.
  void set_name(NodeId id, Name wanted) { names[static_cast<size_t>(id)] = table.for_node(wanted); }
  NodeId find(std::string_view wanted) const;
  // The value of a pure node. Small values are cached, so a graph that grows node by node is
  // evaluated node by node.
  const Tensor* pure_value(ValueId value);
  std::optional<Tensor> known_value(const Tensor& tensor) override;

 private:
  // Reserves names within the scope for nodes that do not exist here.
  void take_names(std::string_view names_of_nodes);
  // Reserves the name of a result that depends on the call.
  Name take_late_name(const LateName& late, const Name& of_call);
  void add_attr_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs);
  void remember(ValueId value, Tensor tensor);

  // Small constants by content: equal ones share a buffer.
  std::unordered_multimap<uint64_t, Tensor> shared_;
  std::unordered_map<ValueId, Tensor> remembered_;
  std::deque<ValueId> remembered_order_;
};

// The node's default name: its op, or its kind.
std::string_view type_of(const Graph& graph, const Node& node);

}  // namespace penstock::exec
