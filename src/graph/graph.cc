#include "graph/graph.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include <penstock/base/check.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "base/stack.h"
#include "graph/control.h"

namespace penstock {

void check_depth(int depth) {
  constexpr size_t kRoom = 256 << 10;  // for one level, and for unwinding an error
  if (depth > kMostDepth) {
    throw InvalidArgumentError(
        cat("[control flow] branches and loops are nested more than ", kMostDepth, " deep"));
  }
  if (stack_left() < kRoom) {
    throw ResourceExhaustedError(
        "[control flow] branches and loops are nested deeper than the stack of this thread allows");
  }
}

int32_t Graph::shape_index(const Shape& shape) {
  // Neighbours often have equal shapes: look at the last few.
  const size_t count = shapes_.size();
  for (size_t back = 1; back <= count && back <= 16; ++back) {
    if (shapes_[count - back] == shape) return static_cast<int32_t>(count - back);
  }
  shapes_.push_back(shape);
  return static_cast<int32_t>(count);
}

ValueId Graph::add_value(NodeId node, DType dtype, const Shape& shape) {
  values_.push_back({node, shape_index(shape), dtype});
  return static_cast<ValueId>(values_.size() - 1);
}

NodeId Graph::add_leaf(NodeKind kind, int32_t index, DType dtype, const Shape& shape) {
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node;
  node.kind = kind;
  node.index = index;
  node.first_input = static_cast<int32_t>(uses_.size());
  node.first_attr = static_cast<int32_t>(attrs_.size());
  node.first_output = add_value(id, dtype, shape);
  nodes_.push_back(node);
  note(node);
  return id;
}

void Graph::note(const Node& node) {
  is_closed_ = is_closed_ && penstock::is_closed(*this, node);
  has_calls_ = has_calls_ || penstock::has_calls(*this, node);
  is_stateful_ = is_stateful_ || penstock::is_stateful(*this, node);
}

ValueId Graph::add_input(DType dtype, const Shape& shape) {
  const NodeId id = add_leaf(NodeKind::kInput, static_cast<int32_t>(inputs_.size()), dtype, shape);
  inputs_.push_back(node(id).first_output);
  return node(id).first_output;
}

ValueId Graph::add_constant(Tensor tensor) {
  const NodeId id = add_leaf(NodeKind::kConstant, static_cast<int32_t>(constants_.size()),
                             tensor.dtype(), tensor.shape());
  constants_.push_back(std::move(tensor));
  return node(id).first_output;
}

ValueId Graph::add_read(int32_t slot, DType dtype, const Shape& shape) {
  return node(add_leaf(NodeKind::kRead, slot, dtype, shape)).first_output;
}

Attr Graph::owned(const Attr& attr) {
  if (attr.kind() == AttrKind::kInts) {
    const std::span<const int64_t> ints = attr.as_ints();
    if (ints.empty() || !is_given(ints)) return attr;
    attr_data_.push_back(std::make_unique<int64_t[]>(ints.size()));
    std::memcpy(attr_data_.back().get(), ints.data(), ints.size_bytes());
    return Attr(std::span<const int64_t>(attr_data_.back().get(), ints.size()));
  }
  if (attr.kind() == AttrKind::kString && !attr.as_string().empty()) {
    const std::string_view text = attr.as_string();
    attr_data_.push_back(std::make_unique<int64_t[]>(text.size() / sizeof(int64_t) + 1));
    char* chars = reinterpret_cast<char*>(attr_data_.back().get());
    std::memcpy(chars, text.data(), text.size());
    return Attr(std::string_view(chars, text.size()));
  }
  return attr;
}

NodeId Graph::add_node(Node node, std::span<const ValueId> inputs,
                       std::span<const OutputSpec> outputs) {
  const auto id = static_cast<NodeId>(nodes_.size());
  if (outputs.size() > UINT16_MAX)
    throw UnimplementedError(cat("a call with ", outputs.size(), " results in a graph"));
  node.num_outputs = static_cast<uint16_t>(outputs.size());
  node.num_inputs = static_cast<int32_t>(inputs.size());
  node.first_input = static_cast<int32_t>(uses_.size());
  node.first_output = static_cast<ValueId>(values_.size());
  uses_.insert(uses_.end(), inputs.begin(), inputs.end());
  for (const OutputSpec& output : outputs) add_value(id, output.dtype, output.shape);
  nodes_.push_back(node);
  note(node);
  return id;
}

NodeId Graph::add_op(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs,
                     std::span<const OutputSpec> outputs, int32_t location, RandomStateRef state) {
  Node node;
  node.op = &op;
  if (state != nullptr) {
    node.index = static_cast<int32_t>(states_.size());
    states_.push_back(std::move(state));
  }
  node.num_attrs = static_cast<uint8_t>(attrs.size());
  node.first_attr = static_cast<int32_t>(attrs_.size());
  node.location = location;
  for (const Attr& attr : attrs) attrs_.push_back(owned(attr));
  return add_node(node, inputs, outputs);
}

NodeId Graph::add_call(std::shared_ptr<const HostCall> call, std::span<const ValueId> inputs,
                       std::span<const OutputSpec> outputs, int32_t location) {
  Node node;
  node.kind = NodeKind::kCall;
  node.index = static_cast<int32_t>(calls_.size());
  node.location = location;
  calls_.push_back(std::move(call));
  return add_node(node, inputs, outputs);
}

NodeId Graph::add_gradient(GradientCall gradient, std::span<const ValueId> inputs,
                           std::span<const OutputSpec> outputs, int32_t location) {
  Node node;
  node.kind = NodeKind::kGradient;
  node.index = static_cast<int32_t>(gradients_.size());
  node.location = location;
  gradients_.push_back(std::move(gradient));
  return add_node(node, inputs, outputs);
}

NodeId Graph::add_control(std::shared_ptr<const Control> control, std::span<const ValueId> inputs,
                          std::span<const OutputSpec> outputs, int32_t location) {
  Node node;
  for (const auto& region : control->regions) depth_ = std::max(depth_, region->depth() + 1);
  check_depth(depth_);
  node.kind = NodeKind::kControl;
  node.index = static_cast<int32_t>(controls_.size());
  node.location = location;
  controls_.push_back(std::move(control));
  return add_node(node, inputs, outputs);
}

NodeId Graph::add_assign(int32_t slot, ValueId value, int32_t location) {
  Node node;
  node.kind = NodeKind::kAssign;
  node.index = slot;
  node.location = location;
  const OutputSpec output{dtype(value), shape(value)};
  return add_node(node, {&value, 1}, {&output, 1});
}

NodeId Graph::add_copy(const Graph& from, const Node& node, std::span<const ValueId> inputs) {
  SmallVector<OutputSpec, 2> specs;
  for (ValueId k = 0; k < node.num_outputs; ++k)
    specs.push_back({from.dtype(node.first_output + k), from.shape(node.first_output + k)});
  const int32_t location = add_location(from.location(node));
  if (node.kind == NodeKind::kConstant) return node_of(add_constant(from.constant(node.index)));
  if (node.kind == NodeKind::kRead)
    return node_of(add_read(node.index, specs[0].dtype, specs[0].shape));
  if (node.kind == NodeKind::kCall) return add_call(from.call(node), inputs, specs, location);
  if (node.kind == NodeKind::kGradient)
    return add_gradient(from.gradient(node), inputs, specs, location);
  if (node.kind == NodeKind::kControl)
    return add_control(from.control(node), inputs, specs, location);
  if (node.kind == NodeKind::kAssign) return add_assign(node.index, inputs[0], location);
  return add_op(*node.op, inputs, from.attrs(node), specs, location, from.state(node));
}

int32_t Graph::add_location(const Location& location) {
  if (location.file.empty()) return kNoIndex;
  auto file = static_cast<int32_t>(files_.size()) - 1;
  while (file >= 0 && files_[static_cast<size_t>(file)] != location.file) --file;
  if (file < 0) {
    file = static_cast<int32_t>(files_.size());
    files_.emplace_back(location.file);
  }
  if (!lines_.empty() && lines_.back().file == file && lines_.back().line == location.line)
    return static_cast<int32_t>(lines_.size() - 1);
  lines_.push_back({file, location.line});
  return static_cast<int32_t>(lines_.size() - 1);
}

Location Graph::location(const Node& node) const {
  if (node.location == kNoIndex) return {};
  const Line& line = lines_[static_cast<size_t>(node.location)];
  return {files_[static_cast<size_t>(line.file)], line.line};
}

const Tensor* Graph::constant_of(ValueId value) const {
  const Node& from = node(node_of(value));
  return from.kind == NodeKind::kConstant ? &constant(from.index) : nullptr;
}

View Graph::view(ValueId value) const {
  const Tensor* tensor = constant_of(value);
  return {tensor != nullptr ? tensor->raw() : nullptr, dtype(value), shape(value)};
}

int64_t Graph::memory_bytes(const Graph* beside) const {
  const auto size_of = [](const auto& list) {
    return static_cast<int64_t>(list.capacity() * sizeof(list[0]));
  };
  int64_t bytes = size_of(nodes_) + size_of(values_) + size_of(uses_) + size_of(attrs_) +
                  size_of(shapes_) + size_of(constants_) + size_of(states_) + size_of(lines_);
  std::unordered_set<const void*> counted;
  if (beside != nullptr) {
    for (const Tensor& tensor : beside->constants_) counted.insert(tensor.buffer().get());
  }
  for (const Tensor& tensor : constants_) {
    if (counted.insert(tensor.buffer().get()).second) bytes += tensor.num_bytes();
  }
  for (const auto& control : controls_) {
    for (const auto& region : control->regions) bytes += region->memory_bytes(beside);
  }
  return bytes;
}

bool has_calls(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kControl) return node.kind == NodeKind::kCall;
  return std::ranges::any_of(graph.control(node)->regions,
                             [](const auto& region) { return region->has_calls(); });
}

bool is_stateful(const Control& control) {
  return std::ranges::any_of(control.regions,
                             [](const auto& region) { return region->is_stateful(); });
}

bool is_stateful(const Graph& graph, const Node& node) {
  if (node.kind == NodeKind::kControl) return is_stateful(*graph.control(node));
  if (node.kind == NodeKind::kOp) return node.op->traits.has(Trait::kStateful);
  return node.kind == NodeKind::kCall;
}

std::vector<bool> needed_nodes(const Graph& graph, std::span<const ValueId> values,
                               bool with_calls) {
  std::vector<bool> needed(graph.num_nodes());
  const auto need = [&](ValueId value) {
    needed[static_cast<size_t>(graph.node_of(value))] = true;
  };
  for (ValueId value : values) need(value);
  for (size_t n = graph.num_nodes(); n-- > 0;) {
    if (with_calls && has_calls(graph, graph.node(static_cast<NodeId>(n)))) needed[n] = true;
    if (!needed[n]) continue;
    for (ValueId input : graph.inputs(graph.node(static_cast<NodeId>(n)))) need(input);
  }
  return needed;
}

std::vector<ValueId> results_of(const Graph& graph) {
  std::vector<ValueId> results(graph.outputs().begin(), graph.outputs().end());
  for (const Write& write : graph.writes()) results.push_back(write.value);
  return results;
}

bool is_closed(const Graph& graph, const Node& node) {
  const auto is_plannable = [&](ValueId value) {
    return graph.shape(value).is_known() && graph.dtype(value) != DType::kString;
  };
  if (node.kind == NodeKind::kCall || node.kind == NodeKind::kGradient) return false;
  if (node.kind == NodeKind::kOp) {
    if (node.op->compose != nullptr || node.op->traits.has(Trait::kDynamicShape)) return false;
    const std::span<const ValueId> inputs = graph.inputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!is_plannable(inputs[i])) return false;
      // infer must see its host inputs before the kernel runs.
      if (node.op->input(i).host && graph.constant_of(inputs[i]) == nullptr) return false;
    }
  }
  if (node.kind == NodeKind::kControl) {
    if (!std::ranges::all_of(graph.inputs(node), is_plannable)) return false;
    for (const auto& region : graph.control(node)->regions) {
      if (!is_closed(*region)) return false;
    }
  }
  for (ValueId k = 0; k < node.num_outputs; ++k) {
    if (!is_plannable(node.first_output + k)) return false;
  }
  return true;
}

namespace {

template <typename... Parts>
[[noreturn]] void broken(const Parts&... parts) {
  throw InternalError(cat("[graph] ", parts...));
}

// Checks what dispatch checks before infer, which relies on it.
void verify_signature(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const OpDef& op = *node.op;
  const std::span<const ValueId> inputs = graph.inputs(node);
  const size_t defined = op.inputs.size();
  const bool takes_many = defined > 0 && op.inputs[defined - 1].many;
  if (takes_many ? inputs.size() < defined : inputs.size() != defined)
    broken("node ", id, " has ", inputs.size(), " inputs, which ", op.name.value, " does not take");
  DType seen[26] = {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] < 0 || inputs[i] >= node.first_output)
      broken("node ", id, " uses a later value ", inputs[i]);
    const InputDef& def = op.input(i);
    const DType dtype = graph.dtype(inputs[i]);
    DType ignored = dtype;
    DType& same = def.type == kMixed ? ignored : seen[def.type - 'A'];
    if (same == DType::kInvalid) same = dtype;
    if (!def.dtypes.has(dtype) || same != dtype)
      broken("node ", id, ": input '", def.name, "' of ", op.name.value, " cannot be ", dtype);
  }
  const Attrs attrs = graph.attrs(node);
  bool fits = attrs.size() == op.attrs.size();
  for (size_t i = 0; fits && i < attrs.size(); ++i) fits = attrs[i].kind() == op.attrs[i].kind;
  if (!fits) broken("node ", id, " has other attributes than ", op.name.value);
}

void verify_op(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op == nullptr) broken("node ", id, " has no op");
  verify_signature(graph, id);
  if (!is_closed(graph, node)) return;  // its outputs are known only at run time
  SmallVector<View, 4> views;
  for (ValueId input : graph.inputs(node)) views.push_back(graph.view(input));
  InferContext infer(*node.op, views, graph.attrs(node));
  node.op->infer.value(infer);
  if (infer.outputs().size() != node.num_outputs)
    broken("node ", id, " has other outputs than its op");
  for (size_t i = 0; i < node.num_outputs; ++i) {
    const ValueId value = node.first_output + static_cast<ValueId>(i);
    const OutputSpec& spec = infer.outputs()[i];
    if (spec.dtype != graph.dtype(value) || spec.shape != graph.shape(value)) {
      broken("value ", value, " of ", node.op->name.value, " is ", graph.dtype(value),
             graph.shape(value), ", but infer gives ", spec.dtype, spec.shape);
    }
  }
}

}  // namespace

// Checks a region's inputs and outputs against its node.
static void verify_region(NodeId id, const Graph& region, size_t num_inputs, size_t num_outputs) {
  if (!region.writes().empty()) broken("a region of node ", id, " writes to a slot");
  if (region.num_inputs() != num_inputs || region.outputs().size() != num_outputs) {
    broken("a region of node ", id, " takes ", region.num_inputs(), " and gives ",
           region.outputs().size(), " values, not ", num_inputs, " and ", num_outputs);
  }
  verify(region);
}

static void verify_control(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Control& control = *graph.control(node);
  for (ValueId input : graph.inputs(node)) {
    if (input < 0 || input >= node.first_output) broken("node ", id, " uses a later value ", input);
  }
  const auto num_inputs = static_cast<size_t>(node.num_inputs);
  const auto num_states = static_cast<size_t>(control.num_states);
  const size_t num_kept = control.shares_checkpoints ? 1 : 0;  // the value with the kept states
  switch (control.kind) {
    case Control::Kind::kBranch:
      if (num_inputs == 0 || graph.dtype(graph.inputs(node)[0]) != DType::kInt32)
        broken("node ", id, " has no number to choose by");
      for (const auto& region : control.regions)
        verify_region(id, *region, num_inputs - 1, node.num_outputs);
      break;
    case Control::Kind::kLoop:
      if (num_states > num_inputs || num_states + num_kept != node.num_outputs)
        broken("node ", id, " gives other values than its states");
      verify_region(id, control.region(Control::kCondition), num_inputs, 1);
      verify_region(id, control.region(Control::kBody), num_inputs, num_states);
      break;
    case Control::Kind::kLoopGradient: {
      const size_t arriving = control.states.size() + num_kept;
      if (num_states + arriving > num_inputs ||
          control.states.size() + control.invariants.size() != node.num_outputs)
        broken("node ", id, " gives other values than its gradients");
      const size_t own = num_inputs - arriving;
      // A loop with a known number of steps has no condition.
      if (control.trips < 0) verify_region(id, control.region(Control::kCondition), own, 1);
      verify_region(id, control.region(Control::kBody), own, num_states);
      verify_region(id, control.region(Control::kBackward), own + node.num_outputs,
                    node.num_outputs);
      break;
    }
  }
}

void verify(const Graph& graph) {
  ValueId next = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const Node& node = graph.node(id);
    if (node.first_output != next) broken("node ", id, " has its values out of order");
    next += node.num_outputs;
    if (node.kind == NodeKind::kOp) verify_op(graph, id);
    if (node.kind == NodeKind::kControl) verify_control(graph, id);
  }
  const auto check_value = [&](ValueId value) {
    if (value < 0 || value >= next) broken("there is no value ", value);
  };
  for (ValueId output : graph.outputs()) check_value(output);
  std::vector<bool> written;
  for (const Write& write : graph.writes()) {
    check_value(write.value);
    const auto slot = static_cast<size_t>(write.slot);
    if (slot >= written.size()) written.resize(slot + 1);
    if (written[slot]) broken("slot ", slot, " is written twice");
    written[slot] = true;
  }
}

}  // namespace penstock
