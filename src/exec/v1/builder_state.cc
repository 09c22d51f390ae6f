#include "exec/v1/builder_state.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>
#include <penstock/ops/dispatch.h>

#include "exec/trace/deferred_gradients.h"
#include "exec/trace/shape_probes.h"
#include "exec/v1/node_names.h"
#include "graph/control.h"
#include "graph/passes/constants.h"
#include "graph/passes/known_ops.h"
#include "graph/text.h"

namespace penstock::exec {
namespace {

// The limits of cached values: size and number.
constexpr int64_t kMostBytesRemembered = 16 << 10;
constexpr size_t kMostRemembered = 256;

// Sets another scope while it exists.
class SetScope {
 public:
  SetScope(BuilderState& state, Scope scope)
      : state_(state), outer_(std::exchange(state.scope, std::move(scope))) {}
  ~SetScope() { state_.scope = std::move(outer_); }
  SetScope(const SetScope&) = delete;
  SetScope& operator=(const SetScope&) = delete;

 private:
  BuilderState& state_;
  Scope outer_;
};

// The enclosing scope: "a/" for "a/b/".
std::string parent_of(std::string_view scope) {
  const size_t slash = scope.substr(0, scope.size() - 1).rfind('/');
  return std::string(scope.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
}

}  // namespace

std::string_view type_of(const Graph& graph, const Node& node) {
  switch (node.kind) {
    case NodeKind::kInput:
      return "Placeholder";
    case NodeKind::kConstant:
      return "Const";
    case NodeKind::kRead:
      return "ReadVariableOp";
    case NodeKind::kAssign:
      return "Assign";
    case NodeKind::kGradient:
      return "gradients";
    case NodeKind::kCall:
      return graph.call(node)->name;
    case NodeKind::kControl:
      return name_of(graph.control(node)->kind);
    case NodeKind::kOp:
      break;
  }
  return node.op->name.value;
}

BuilderState::BuilderState() : TraceState("graph", ShapeProbes::make, true) {
  // A graph has open shapes, and composed ops that are one node.
  autodiff::g_defer.store(defer_gradient, std::memory_order_relaxed);
}

void BuilderState::check_open() const {
  if (is_finalized) throw std::runtime_error("Graph is finalized and cannot be modified.");
}

const std::string& BuilderState::scope_text() {
  if (scope.of) {
    scope.text = cat(table.text_of(*scope.of), "/");
    scope.of.reset();
  }
  return scope.text;
}

Name BuilderState::take_name(std::string_view wanted) {
  const std::string& begin = scope_text();
  return table.take(begin.empty() ? wanted : std::string_view(cat(begin, wanted)));
}

Name BuilderState::take_call_name(std::string_view op, std::string_view wanted) {
  is_given_name = !wanted.empty();
  if (wanted.ends_with('/')) return table.as_it_is(wanted.substr(0, wanted.size() - 1));
  const DefaultName usual = default_name(op);
  const Name reserved = take_name(wanted.empty() ? usual.scope : wanted);
  if (usual.result.empty()) return reserved;
  const std::string_view own = wanted.empty() ? op : wanted;
  return table.take(cat(table.text_of(reserved), "/", usual.result == "*" ? own : usual.result));
}

void BuilderState::take_names(std::string_view names_of_nodes) {
  while (!names_of_nodes.empty()) {
    const size_t end = std::min(names_of_nodes.find(' '), names_of_nodes.size());
    take_name(names_of_nodes.substr(0, end));
    names_of_nodes.remove_prefix(std::min(end + 1, names_of_nodes.size()));
  }
}

Name BuilderState::take_late_name(const LateName& late, const Name& of_call) {
  if (late.beside.empty())
    return late.result.empty() ? of_call
                               : table.take(cat(table.text_of(of_call), "/", late.result));
  const SetScope outside(*this, {parent_of(scope_text()), {}});
  take_names(late.beside);
  return late.usual.empty() || is_given_name ? of_call : take_name(late.usual);
}

void BuilderState::add_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                              SmallVector<ValueId, 4>& values) {
  Name of_call = next_taken ? *next_taken : take_call_name(op.name, next_name);
  next_taken.reset();
  const SetScope within(*this, {"", of_call});
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]->graph() != number) next_name = input_name(op, i);
    values.push_back(value_of(*inputs[i]));
  }
  add_attr_inputs(op, inputs, attrs);
  next_name.clear();
  if (const LateNameFn late = default_name(op.name).late)
    of_call = take_late_name(late({op, inputs, attrs}), of_call);
  next_taken = of_call;
}

void BuilderState::add_attr_inputs(const OpDef& op, std::span<const Tensor* const> inputs,
                                   Attrs attrs) {
  const Shape* first = inputs.empty() ? nullptr : &inputs[0]->shape();
  for (size_t i = 0; i < attrs.size(); ++i) {
    std::optional<NamedConstant> constant = attr_as_input(op, i, attrs[i], first);
    if (!constant) continue;
    next_name = constant->name;
    if (!constant->is_outside) {
      add_constant(*constant->value);
      continue;
    }
    const SetScope outside(*this, {parent_of(scope_text()), {}});
    if (constant->value) {
      add_constant(*constant->value);
    } else {
      take_names(constant->name);
    }
  }
}

ValueId BuilderState::add_constant(const Tensor& tensor) {
  check_open();
  Tensor kept = tensor;
  if (tensor.dtype() != DType::kString && tensor.num_bytes() > kSmallConstant &&
      is_repeated(tensor)) {
    // One repeated value: a single element is enough.
    const auto rank = static_cast<int64_t>(tensor.shape().rank());
    const ValueId inputs[] = {
        graph.add_constant(Tensor::from<int64_t>(tensor.shape().dims(), {rank})),
        graph.add_constant(first_element(tensor))};
    const OutputSpec output{tensor.dtype(), tensor.shape()};
    const NodeId fill = graph.add_op(*known_ops().fill, inputs, {}, {&output, 1}, here());
    const std::string wanted = next_name.empty() ? "Const" : next_name;
    for (ValueId input : inputs) {
      graph.set_location(graph.node_of(input), here());
      next_name = wanted + (input == inputs[0] ? "/dims" : "/value");
      added(graph.node_of(input));
    }
    next_name = wanted;
    added(fill);
    return graph.node(fill).first_output;
  }
  const uint64_t hash = content_hash(tensor);
  const auto [first, last] = shared_.equal_range(hash);
  const auto same = std::find_if(first, last, [&](const auto& entry) {
    return entry.second.dtype() == tensor.dtype() && entry.second.shape() == tensor.shape() &&
           tensor.dtype() != DType::kString &&
           std::memcmp(entry.second.raw(), tensor.raw(), static_cast<size_t>(tensor.num_bytes())) ==
               0;
  });
  if (same != last) {
    kept = same->second;
  } else {
    shared_.emplace(hash, tensor);
  }
  const ValueId value = graph.add_constant(kept);
  graph.set_location(graph.node_of(value), here());
  added(graph.node_of(value));
  return value;
}

NodeId BuilderState::find(std::string_view wanted) const {
  for (size_t n = 0; n < names.size(); ++n) {
    if (table.is_text_of(names[n], wanted)) return static_cast<NodeId>(n);
  }
  return kNoIndex;
}

void BuilderState::added(NodeId id) {
  const Node& node = graph.node(id);
  if (names.size() <= static_cast<size_t>(id)) {
    names.resize(static_cast<size_t>(id) + 1);
    is_pure.resize(static_cast<size_t>(id) + 1);
    runs_alone.resize(static_cast<size_t>(id) + 1);
  }
  if (next_taken) {
    set_name(id, *next_taken);
  } else if (next_name.ends_with('/')) {
    // A name that is already reserved, whatever the scope.
    set_name(id, table.as_it_is(std::string_view(next_name).substr(0, next_name.size() - 1)));
  } else {
    set_name(id, take_name(next_name.empty() ? type_of(graph, node) : std::string_view(next_name)));
  }
  next_taken.reset();
  next_name.clear();
  bool pure = node.kind == NodeKind::kConstant ||
              (node.kind == NodeKind::kOp && !node.op->traits.has(Trait::kStateful));
  for (ValueId input : graph.inputs(node))
    pure = pure && is_pure[static_cast<size_t>(graph.node_of(input))];
  is_pure[static_cast<size_t>(id)] = pure;
  bool alone = pure;
  for (ValueId input : graph.inputs(node))
    alone = alone && runs_alone[static_cast<size_t>(graph.node_of(input))];
  for (NodeId before : control) alone = alone && runs_alone[static_cast<size_t>(before)];
  runs_alone[static_cast<size_t>(id)] = alone;
  if (!control.empty()) control_inputs[id] = control;
}

void BuilderState::called(NodeId first, std::vector<Tensor>& results) {
  std::vector<NodeId> effects;
  for (size_t n = static_cast<size_t>(first); n < graph.num_nodes(); ++n) {
    const Node& node = graph.node(static_cast<NodeId>(n));
    const bool has_effect = node.kind == NodeKind::kCall || node.kind == NodeKind::kAssign ||
                            (node.kind == NodeKind::kControl && is_stateful(*graph.control(node)));
    if (has_effect) effects.push_back(static_cast<NodeId>(n));
  }
  if (effects.empty()) return;
  std::vector<NodeId> before = control;
  control.insert(control.end(), effects.begin(), effects.end());
  for (Tensor& result : results) {
    result = identity(result);
    ends_of_calls.insert(graph.node_of(result.value()));
  }
  control = std::move(before);
}

void BuilderState::remember(ValueId value, Tensor tensor) {
  if (tensor.num_bytes() > kMostBytesRemembered || tensor.dtype() == DType::kString) return;
  if (!remembered_.emplace(value, std::move(tensor)).second) return;
  remembered_order_.push_back(value);
  if (remembered_order_.size() <= kMostRemembered) return;
  remembered_.erase(remembered_order_.front());
  remembered_order_.pop_front();
}

const Tensor* BuilderState::pure_value(ValueId value) {
  if (!is_pure[static_cast<size_t>(graph.node_of(value))]) return nullptr;
  const auto lookup = [&](ValueId wanted) -> const Tensor* {
    if (const Tensor* constant = graph.constant_of(wanted)) return constant;
    const auto found = remembered_.find(wanted);
    return found == remembered_.end() ? nullptr : &found->second;
  };
  if (const Tensor* found = lookup(value)) return found;
  if (!graph.shape(value).is_known() || graph.dtype(value) == DType::kString ||
      graph.bytes(value) > kMostBytesRemembered)
    return nullptr;
  // The nodes from here back to known values.
  std::vector<NodeId> nodes = {graph.node_of(value)};
  std::unordered_map<NodeId, bool> seen = {{nodes[0], true}};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (ValueId input : graph.inputs(graph.node(nodes[i]))) {
      if (lookup(input) == nullptr && seen.emplace(graph.node_of(input), true).second)
        nodes.push_back(graph.node_of(input));
    }
  }
  std::ranges::sort(nodes);
  const LeaveTraces leave;
  const PauseRecording pause;
  std::unordered_map<ValueId, Tensor> values;
  for (NodeId id : nodes) {
    const Node& node = graph.node(id);
    SmallVector<const Tensor*, 4> inputs;
    for (ValueId input : graph.inputs(node)) {
      const Tensor* known = lookup(input);
      inputs.push_back(known != nullptr ? known : &values.at(input));
    }
    Tensors outputs = dispatch(*node.op, inputs, graph.attrs(node));
    for (ValueId k = 0; k < node.num_outputs; ++k)
      values[node.first_output + k] = std::move(outputs[static_cast<size_t>(k)]);
  }
  remember(value, values.at(value));
  return lookup(value);
}

std::optional<Tensor> BuilderState::known_value(const Tensor& tensor) {
  if (tensor.graph() != number) return std::nullopt;
  const Tensor* found = pure_value(tensor.value());
  return found == nullptr ? std::nullopt : std::optional<Tensor>(*found);
}

}  // namespace penstock::exec
