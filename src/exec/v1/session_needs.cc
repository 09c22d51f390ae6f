#include "exec/v1/session_needs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace penstock::exec {
namespace {

// How much of a node is needed.
enum class Need : uint8_t {
  kCall,     // its call, for a gradient path or for a statically known shape
  kPerhaps,  // its data, as far as known before gradients are resolved
  kData,
};

class Walk {
 public:
  Walk(const BuilderState& state, std::span<const Tensor> feeds)
      : state_(state), graph_(state.graph) {
    for (const Tensor& feed : feeds) fed_.insert(feed.value());
  }

  void add(ValueId value, Need need) {
    if (!fed_.contains(value)) add_node(graph_.node_of(value), need);
  }

  void add_node(NodeId id, Need need) {
    const auto [at, is_new] = needs_.emplace(id, need);
    if (!is_new && at->second >= need) return;
    at->second = need;
    open_.push_back(id);
  }

  Needs run() {
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      step(id, needs_.at(id));
    }
    Needs found;
    for (const auto& [id, need] : needs_) {
      found.nodes.push_back(id);
      if (need == Need::kData && draws(graph_.node(id))) found.drawing.push_back(id);
    }
    std::ranges::sort(found.nodes);
    std::ranges::sort(found.drawing);
    return found;
  }

 private:
  bool draws(const Node& node) const {
    const bool may_draw = node.kind == NodeKind::kOp || node.kind == NodeKind::kControl;
    return may_draw && node.num_outputs > 0 && is_stateful(graph_, node);
  }

  // A fed placeholder does not run. Any other node that others wait for does, as in TensorFlow,
  // even if its results are fed.
  bool is_fed_placeholder(const Node& node) const {
    return node.kind == NodeKind::kInput && fed_.contains(node.first_output);
  }

  void step(NodeId id, Need need) {
    const Node& node = graph_.node(id);
    const bool is_of_shapes = node.kind == NodeKind::kOp && node.op->traits.has(Trait::kShapeOnly);
    for (const ValueId input : graph_.inputs(node)) {
      const bool is_call = node.kind == NodeKind::kGradient || (is_of_shapes && is_known(input));
      add(input, is_call ? Need::kCall : need);
    }
    if (need == Need::kCall) return;
    if (node.kind == NodeKind::kGradient) add_gradient(node, need);
    const auto control = state_.control_inputs.find(id);
    if (control == state_.control_inputs.end()) return;
    for (const NodeId before : control->second) {
      if (!is_fed_placeholder(graph_.node(before))) add_node(before, need);
    }
  }

  bool is_known(ValueId value) const { return graph_.shape(value).is_known(); }
  void add_shape(ValueId value, Need need) {
    if (!is_known(value)) add(value, need);
  }

  void add_gradient(const Node& node, Need need) {
    const GradientCall& call = graph_.gradient(node);
    const std::span<const ValueId> inputs = graph_.inputs(node);
    const auto num_targets = static_cast<size_t>(call.num_targets);
    std::vector<NodeId> way;
    for (const ValueId value : inputs.subspan(call.first_on_way()))
      way.push_back(graph_.node_of(value));
    // A path through another gradient may turn out not to exist.
    const auto is_gradient = [&](NodeId id) { return graph_.node(id).kind == NodeKind::kGradient; };
    if (std::ranges::any_of(way, is_gradient)) need = Need::kPerhaps;
    // A gradient starts with ones of a target's shape.
    for (size_t i = 0; i < num_targets && !call.has_dys; ++i) add_shape(inputs[i], need);
    for (size_t i = 0; i < call.num_dys(); ++i) add(inputs[num_targets + i], need);
    std::unordered_set<ValueId> follows;  // values that depend on the sources
    for (size_t i = call.first_source(); i < call.first_on_way(); ++i) follows.insert(inputs[i]);
    for (const NodeId id : way) {
      const Node& made_by = graph_.node(id);
      for (ValueId k = 0; k < made_by.num_outputs; ++k) follows.insert(made_by.first_output + k);
    }
    for (const NodeId id : way) add_way(id, follows, need);
  }

  // Adds what the gradient of a call on the path reads.
  void add_way(NodeId id, const std::unordered_set<ValueId>& follows, Need need) {
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kGradient) return add_gradient(node, Need::kPerhaps);
    const std::span<const ValueId> inputs = graph_.inputs(node);
    if (node.kind != NodeKind::kOp) {
      for (const ValueId input : inputs) add(input, Need::kPerhaps);
      return;
    }
    const Saves& saves = node.op->saves;
    // The gradient of a function is that of a call that has run.
    if (saves.outputs != 0 || state_.ends_of_calls.contains(id)) add_node(id, Need::kPerhaps);
    const bool is_elementwise = node.op->traits.has(Trait::kElementwise);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool reads_data = i >= 32 || (saves.inputs >> i & 1u) != 0;
      if (reads_data && is_read_at(node, i, follows)) add(inputs[i], Need::kPerhaps);
      // Gradients of broadcasts, concatenations and splits read shapes.
      const bool reads_shape = is_elementwise ? inputs.size() > 1 : !reads_data;
      if (reads_shape) add_shape(inputs[i], need);
    }
  }

  // A factor is read only for the gradients of the other factors.
  bool is_read_at(const Node& node, size_t i, const std::unordered_set<ValueId>& follows) const {
    if (!node.op->traits.has(Trait::kBilinear)) return true;
    const std::span<const ValueId> inputs = graph_.inputs(node);
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (k != i && follows.contains(inputs[k])) return true;
    }
    return false;
  }

  const BuilderState& state_;
  const Graph& graph_;
  std::unordered_set<ValueId> fed_;
  std::unordered_map<NodeId, Need> needs_;
  std::vector<NodeId> open_;
};

}  // namespace

Needs needs_of(const BuilderState& state, std::span<const Tensor> feeds,
               std::span<const Tensor> fetches, std::span<const int32_t> targets) {
  Walk walk(state, feeds);
  for (const Tensor& fetch : fetches) walk.add(fetch.value(), Need::kData);
  for (const NodeId target : targets) walk.add_node(target, Need::kData);
  return walk.run();
}

}  // namespace penstock::exec
