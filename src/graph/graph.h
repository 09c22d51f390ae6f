// Graph: the one intermediate representation. A traced function is a list of nodes in a valid
// order; every node produces one or more values and uses values that come before it.
//
//   input     a value from the caller
//   constant  a tensor that the graph keeps
//   read      a variable's value when the graph starts; the variable is a slot number
//   op        a call of an op
//   call      a host call (print, a Python function); calls run in order
//   gradient  the gradients of values, resolved when the shapes are known
//   control   a choice between regions, or a loop: regions are graphs (control.h)
//   assign    later reads of a variable see the value; for gradients they are the variable's
//
// A graph is closed if all shapes are known and every node is a leaf or a call of an op with a
// kernel (composed ops are expanded): such a graph can be planned as a whole. An open graph is
// interpreted with more shapes known, or runs in pieces (exec/function/partly_planned.h).
//
// Updates of variables are values: at the end of a run, slot s holds the value of its Write. So the
// only hidden order of nodes is that among stateful ops and calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/memory/counted.h>
#include <penstock/ops/context.h>
#include <penstock/tensor/tensor.h>

#include "graph/ids.h"
#include "graph/random_state.h"

namespace penstock {

// The limit on nested regions: walking them recurses, and a stack is finite.
inline constexpr int kMostDepth = 2000;
// Throws InvalidArgumentError beyond it, ResourceExhaustedError if this thread's stack has no room
// for another level.
void check_depth(int depth);

enum class NodeKind : uint8_t {
  kInput,
  kConstant,
  kRead,
  kOp,
  kCall,
  kGradient,
  kControl,
  kAssign
};

struct Node {
  const OpDef* op = nullptr;  // of kOp
  NodeKind kind = NodeKind::kOp;
  uint8_t num_attrs = 0;
  uint16_t num_outputs = 1;
  int32_t num_inputs = 0;
  int32_t first_input = 0;      // in the graph's list of uses
  int32_t first_attr = 0;       // in the graph's list of attributes
  ValueId first_output = 0;     // the others follow
  int32_t index = kNoIndex;     // in the list of its kind; kRead, kAssign: slot; kOp: random state
  int32_t location = kNoIndex;  // the user's line, in the graph's list
};

static_assert(sizeof(Node) <= 40);

struct Value {
  NodeId node = kNoIndex;
  int32_t shape = kNoIndex;  // in the graph's list
  DType dtype = DType::kInvalid;
};

static_assert(sizeof(Value) <= 12);

struct Write {
  int32_t slot;
  ValueId value;
};

// The function of a call node.
struct HostCall {
  std::string name;
  std::function<Tensors(std::span<const Tensor* const>)> run;
  bool passes_gradients = false;  // it calls ops that tapes may record
};

// The inputs of a gradient node are the targets, the gradients that arrive at them (as many, or
// none), the sources, and one output of every recorded node on the path. An unconnected source has
// no output; a sparse one has two: values and indices.
struct GradientCall {
  enum class Form : uint8_t { kNone, kDense, kSparse };
  int32_t num_targets = 0;
  bool has_dys = false;
  std::vector<Form> sources;

  size_t num_dys() const { return has_dys ? static_cast<size_t>(num_targets) : 0; }
  size_t first_source() const { return static_cast<size_t>(num_targets) + num_dys(); }
  size_t first_on_way() const { return first_source() + sources.size(); }
};

struct Control;

struct Location {
  std::string_view file;
  int32_t line = 0;
};

class Graph {
 public:
  template <typename T>
  using List = std::vector<T, Counted<T>>;

  // Building. Nodes are added in a valid order.
  ValueId add_input(DType dtype, const Shape& shape);
  ValueId add_constant(Tensor tensor);
  ValueId add_read(int32_t slot, DType dtype, const Shape& shape);
  NodeId add_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs,
                std::span<const OutputSpec> outputs, int32_t location = kNoIndex,
                RandomStateRef state = nullptr);
  NodeId add_call(std::shared_ptr<const HostCall> call, std::span<const ValueId> inputs,
                  std::span<const OutputSpec> outputs, int32_t location = kNoIndex);
  NodeId add_gradient(GradientCall gradient, std::span<const ValueId> inputs,
                      std::span<const OutputSpec> outputs, int32_t location = kNoIndex);
  NodeId add_control(std::shared_ptr<const Control> control, std::span<const ValueId> inputs,
                     std::span<const OutputSpec> outputs, int32_t location = kNoIndex);
  NodeId add_assign(int32_t slot, ValueId value, int32_t location = kNoIndex);
  // A copy of a node of another graph that is not an input.
  NodeId add_copy(const Graph& from, const Node& node, std::span<const ValueId> inputs);
  void set_outputs(std::span<const ValueId> outputs) {
    outputs_.assign(outputs.begin(), outputs.end());
  }
  void set_writes(std::span<const Write> writes) { writes_.assign(writes.begin(), writes.end()); }
  // Replaces the control with an equivalent one.
  void set_control(NodeId id, std::shared_ptr<const Control> control) {
    controls_[static_cast<size_t>(node(id).index)] = std::move(control);
  }
  int32_t add_location(const Location& location);
  void set_location(NodeId id, int32_t location) {
    nodes_[static_cast<size_t>(id)].location = location;
  }

  size_t num_nodes() const { return nodes_.size(); }
  size_t num_values() const { return values_.size(); }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_constants() const { return constants_.size(); }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const ValueId> inputs(const Node& node) const {
    return {uses_.data() + node.first_input, static_cast<size_t>(node.num_inputs)};
  }
  Attrs attrs(const Node& node) const { return {attrs_.data() + node.first_attr, node.num_attrs}; }
  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const ValueId> outputs() const { return outputs_; }
  std::span<const Write> writes() const { return writes_; }
  const Tensor& constant(int32_t index) const { return constants_[static_cast<size_t>(index)]; }
  const std::shared_ptr<const HostCall>& call(const Node& node) const {
    return calls_[static_cast<size_t>(node.index)];
  }
  const GradientCall& gradient(const Node& node) const {
    return gradients_[static_cast<size_t>(node.index)];
  }

  const std::shared_ptr<const Control>& control(const Node& node) const {
    return controls_[static_cast<size_t>(node.index)];
  }

  // The state of a random op; null for other ops, and if none was set.
  RandomStateRef state(const Node& node) const {
    const bool has_one = node.kind == NodeKind::kOp && node.index != kNoIndex;
    return has_one ? states_[static_cast<size_t>(node.index)] : nullptr;
  }

  NodeId node_of(ValueId value) const { return values_[static_cast<size_t>(value)].node; }
  DType dtype(ValueId value) const { return values_[static_cast<size_t>(value)].dtype; }
  const Shape& shape(ValueId value) const {
    return shapes_[static_cast<size_t>(values_[static_cast<size_t>(value)].shape)];
  }
  int64_t bytes(ValueId value) const { return shape(value).num_bytes(dtype_size(dtype(value))); }
  // The tensor if the value is a constant; null otherwise.
  const Tensor* constant_of(ValueId value) const;
  // What infer sees of a value: with data if it is a constant.
  View view(ValueId value) const;
  Location location(const Node& node) const;
  // The memory of the graph, including constants that `beside` does not hold as well.
  int64_t memory_bytes(const Graph* beside = nullptr) const;
  // Properties of its nodes and of those in their regions. Maintained during building, because
  // regions may be nested deeply.
  bool is_closed() const { return is_closed_; }
  bool has_calls() const { return has_calls_; }
  bool is_stateful() const { return is_stateful_; }
  int depth() const { return depth_; }

 private:
  ValueId add_value(NodeId node, DType dtype, const Shape& shape);
  NodeId add_node(Node node, std::span<const ValueId> inputs, std::span<const OutputSpec> outputs);
  NodeId add_leaf(NodeKind kind, int32_t index, DType dtype, const Shape& shape);
  void note(const Node& node);
  int32_t shape_index(const Shape& shape);
  Attr owned(const Attr& attr);

  List<Node> nodes_;
  List<Value> values_;
  List<ValueId> uses_;
  List<Attr> attrs_;
  List<Shape> shapes_;
  std::vector<Tensor> constants_;
  std::vector<std::shared_ptr<const HostCall>> calls_;
  std::vector<GradientCall> gradients_;
  std::vector<std::shared_ptr<const Control>> controls_;
  std::vector<RandomStateRef> states_;
  List<ValueId> inputs_;
  List<ValueId> outputs_;
  List<Write> writes_;
  List<std::unique_ptr<int64_t[]>> attr_data_;  // lists and names of attributes
  std::vector<std::string> files_;
  struct Line {
    int32_t file;
    int32_t line;
  };
  List<Line> lines_;
  bool is_closed_ = true, has_calls_ = false, is_stateful_ = false;
  int depth_ = 0;
};

// Whether the node is a host call, or has one in a region.
bool has_calls(const Graph& graph, const Node& node);
// Whether the node's results differ from run to run, or it has side effects: such nodes keep their
// order.
bool is_stateful(const Graph& graph, const Node& node);
bool is_stateful(const Control& control);
// The nodes that the values need, transitively; on request also the host calls and what they need.
std::vector<bool> needed_nodes(const Graph& graph, std::span<const ValueId> values,
                               bool with_calls = false);
// The values that a run produces: the outputs and the written values.
std::vector<ValueId> results_of(const Graph& graph);

// Whether a closed graph may contain the node.
bool is_closed(const Graph& graph, const Node& node);
inline bool is_closed(const Graph& graph) { return graph.is_closed(); }

// Throws InternalError if the graph breaks one of its rules: uses before definitions, dtypes or
// shapes that differ from infer's, calls that their op rejects, indices out of range, two writes of
// a slot.
void verify(const Graph& graph);

}  // namespace penstock
