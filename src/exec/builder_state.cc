#include "exec/builder_state.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/function.h>
#include <penstock/ops.h>
#include <penstock/ops/dispatch.h>

#include "exec/node_names.h"
#include "graph/control.h"
#include "graph/known_ops.h"
#include "graph/rewriter.h"
#include "graph/text.h"

namespace penstock::exec {
namespace {

// Values that are remembered, and how many of them.
constexpr int64_t kMostBytesRemembered = 16 << 10;
constexpr size_t kMostRemembered = 256;

// Another scope while it lasts.
class SetScope {
 public:
  SetScope(BuilderState& state, std::string scope)
      : state_(state), outer_(std::exchange(state.scope, std::move(scope))) {}
  ~SetScope() { state_.scope = std::move(outer_); }
  SetScope(const SetScope&) = delete;
  SetScope& operator=(const SetScope&) = delete;

 private:
  BuilderState& state_;
  std::string outer_;
};

// The scope around one: "a/" of "a/b/".
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

BuilderState::BuilderState() : TraceState("graph", true) {}

void BuilderState::check_open() const {
  if (is_finalized) throw std::runtime_error("Graph is finalized and cannot be modified.");
}

BuilderState::Name BuilderState::take_call_name(std::string_view op, std::string_view wanted) {
  if (wanted.ends_with('/')) return {text_number(wanted.substr(0, wanted.size() - 1)), 0};
  const DefaultName usual = default_name(op);
  const Name taken = take_name(cat(scope, wanted.empty() ? usual.scope : wanted));
  if (usual.result.empty()) return taken;
  const std::string_view own = wanted.empty() ? op : wanted;
  return take_name(cat(text_of(taken), "/", usual.result == "*" ? own : usual.result));
}

void BuilderState::add_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                              SmallVector<ValueId, 4>& values) {
  const Name of_call = next_taken ? *next_taken : take_call_name(op.name, next_name);
  next_taken.reset();
  const SetScope within(*this, cat(text_of(of_call), "/"));
  for (size_t i = 0; i < inputs.size(); ++i) {
    next_name = input_name(op, i);
    values.push_back(value_of(*inputs[i]));
  }
  add_attr_inputs(op, inputs, attrs);
  next_name.clear();
  next_taken = of_call;
}

void BuilderState::add_attr_inputs(const OpDef& op, std::span<const Tensor* const> inputs,
                                   Attrs attrs) {
  const Shape* first = inputs.empty() ? nullptr : &inputs[0]->shape();
  for (size_t i = 0; i < attrs.size(); ++i) {
    std::optional<NamedConstant> made = attr_as_input(op, i, attrs[i], first);
    if (!made) continue;
    next_name = made->name;
    if (!made->is_outside) {
      add_constant(made->value);
      continue;
    }
    const SetScope outside(*this, parent_of(scope));
    add_constant(made->value);
  }
}

ValueId BuilderState::add_constant(const Tensor& tensor) {
  check_open();
  Tensor kept = tensor;
  if (tensor.dtype() != DType::kString && tensor.num_bytes() > kSmallConstant &&
      is_repeated(tensor)) {
    // One value all over: the value is enough.
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
  const auto same = std::find_if(first, last, [&](const auto& each) {
    return each.second.dtype() == tensor.dtype() && each.second.shape() == tensor.shape() &&
           tensor.dtype() != DType::kString &&
           std::memcmp(each.second.raw(), tensor.raw(), static_cast<size_t>(tensor.num_bytes())) ==
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

int32_t BuilderState::text_number(std::string_view text) {
  const auto found = text_numbers_.find(text);
  if (found != text_numbers_.end()) return found->second;
  texts_.emplace_back(text);
  const auto added_text = static_cast<int32_t>(texts_.size() - 1);
  text_numbers_.emplace(texts_.back(), added_text);
  return added_text;
}

// Whether "base_7" is what a number has made of another name.
bool BuilderState::is_numbered(std::string_view key) const {
  const size_t at = key.rfind('_');
  if (at == std::string_view::npos || at + 1 == key.size()) return false;
  int32_t wanted = 0;
  const char* end = key.data() + key.size();
  const auto parsed = std::from_chars(key.data() + at + 1, end, wanted);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  const auto base = next_numbers_.find(std::string(key.substr(0, at)));
  return base != next_numbers_.end() && wanted > 0 && wanted < base->second;
}

BuilderState::Name BuilderState::take_name(std::string_view wanted) {
  // Names that differ in case only count as one.
  std::string key(wanted);
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
  const int32_t text = text_number(wanted);
  const auto [counter, is_new] = next_numbers_.emplace(key, 1);
  if (is_new && !is_numbered(key)) return {text, 0};
  while (true) {
    const int32_t next = counter->second++;
    const std::string numbered = cat(key, "_", next);
    if (!next_numbers_.contains(numbered)) return {text, next};
  }
}

std::string BuilderState::text_of(const Name& taken) const {
  const std::string& text = texts_[static_cast<size_t>(taken.text)];
  return taken.number == 0 ? text : cat(text, "_", taken.number);
}

NodeId BuilderState::find(std::string_view wanted) const {
  for (size_t n = 0; n < names.size(); ++n) {
    const std::string& text = texts_[static_cast<size_t>(names[n].text)];
    if (wanted.starts_with(text) && text_of(names[n]) == wanted) return static_cast<NodeId>(n);
  }
  return kNoIndex;
}

bool BuilderState::has_node_of(std::string_view text) const {
  const auto found = text_numbers_.find(text);
  return found != text_numbers_.end() &&
         static_cast<size_t>(found->second) < is_text_used_.size() &&
         is_text_used_[static_cast<size_t>(found->second)];
}

void BuilderState::set_name(NodeId id, Name wanted) {
  const auto text = static_cast<size_t>(wanted.text);
  if (is_text_used_.size() <= text) is_text_used_.resize(texts_.size());
  if (wanted.number == 0 && is_text_used_[text]) wanted = take_name(texts_[text]);
  if (wanted.number == 0) is_text_used_[static_cast<size_t>(wanted.text)] = true;
  names[static_cast<size_t>(id)] = wanted;
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
    // As it is, whatever the scope: it is taken.
    set_name(id, {text_number(std::string_view(next_name).substr(0, next_name.size() - 1)), 0});
  } else {
    set_name(id, take_name(cat(scope, next_name.empty() ? type_of(graph, node)
                                                        : std::string_view(next_name))));
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
  for (Tensor& result : results) result = identity(result);
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
  // The nodes from here back to what is known.
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
  std::unordered_map<ValueId, Tensor> made;
  for (NodeId id : nodes) {
    const Node& node = graph.node(id);
    SmallVector<const Tensor*, 4> inputs;
    for (ValueId input : graph.inputs(node)) {
      const Tensor* known = lookup(input);
      inputs.push_back(known != nullptr ? known : &made.at(input));
    }
    Tensors outputs = dispatch(*node.op, inputs, graph.attrs(node));
    for (ValueId k = 0; k < node.num_outputs; ++k)
      made[node.first_output + k] = std::move(outputs[static_cast<size_t>(k)]);
  }
  remember(value, made.at(value));
  return lookup(value);
}

std::optional<Tensor> BuilderState::known_value(const Tensor& tensor) {
  if (tensor.graph() != number) return std::nullopt;
  const Tensor* found = pure_value(tensor.value());
  return found == nullptr ? std::nullopt : std::optional<Tensor>(*found);
}

}  // namespace penstock::exec
