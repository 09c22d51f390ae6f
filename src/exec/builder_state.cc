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
#include <penstock/ops/dispatch.h>

#include "graph/control.h"
#include "graph/known_ops.h"
#include "graph/rewriter.h"
#include "graph/text.h"

namespace penstock::exec {
namespace {

// Values that are remembered, and how many of them.
constexpr int64_t kMostBytesRemembered = 16 << 10;
constexpr size_t kMostRemembered = 256;

// Where TensorFlow's functions call an op something else.
std::string_view default_name(std::string_view type) {
  static const std::unordered_map<std::string_view, std::string_view> kNames = {
      {"AddV2", "Add"},           {"RealDiv", "truediv"}, {"ConcatV2", "concat"},
      {"Pack", "stack"},          {"Unpack", "unstack"},  {"StridedSlice", "strided_slice"},
      {"Transpose", "transpose"}, {"Range", "range"},     {"Split", "split"},
      {"SplitV", "split"},        {"OneHot", "one_hot"},
  };
  const auto found = kNames.find(type);
  return found == kNames.end() ? type : found->second;
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

ValueId BuilderState::add_constant(const Tensor& tensor) {
  // The name that is set is the call's whose input this is.
  std::string of_call = std::exchange(next_name, std::string());
  const ValueId value = add_named_constant(tensor);
  next_name = std::move(of_call);
  return value;
}

ValueId BuilderState::add_named_constant(const Tensor& tensor) {
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

void BuilderState::added(NodeId id) {
  const Node& node = graph.node(id);
  if (names.size() <= static_cast<size_t>(id)) {
    names.resize(static_cast<size_t>(id) + 1);
    is_pure.resize(static_cast<size_t>(id) + 1);
  }
  std::string wanted = scope;
  if (next_name.ends_with('/')) {
    wanted = next_name.substr(0, next_name.size() - 1);  // as it is, whatever the scope
  } else {
    wanted += next_name.empty() ? default_name(type_of(graph, node)) : std::string_view(next_name);
  }
  next_name.clear();
  names[static_cast<size_t>(id)] = take_name(wanted);
  bool pure = node.kind == NodeKind::kConstant ||
              (node.kind == NodeKind::kOp && !node.op->traits.has(Trait::kStateful));
  for (ValueId input : graph.inputs(node))
    pure = pure && is_pure[static_cast<size_t>(graph.node_of(input))];
  is_pure[static_cast<size_t>(id)] = pure;
  if (!control.empty()) control_inputs[id] = control;
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
