#include "exec/compile/fusion/scalar_groups.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace penstock::exec {
namespace {

using kernels::Formula;
using kernels::Scalar;
using kernels::ScalarStep;

bool is_scalar(const Graph& graph, ValueId value) {
  const DType dtype = graph.dtype(value);
  return dtype != DType::kString && dtype_size(dtype) <= sizeof(Scalar) &&
         graph.shape(value).num_elements() == 1;
}

// Scalar ops that wait for the same steps can run together at no cost: their users wait for no more
// than before, so no step can end up waiting for itself. The sources of an op are the steps of
// other kinds that it waits for, directly or through scalars.
class ScalarFinder {
 public:
  ScalarFinder(const Graph& graph, std::span<const NodeId> nodes, std::vector<int32_t>& groups)
      : graph_(graph), nodes_(nodes), groups_(groups), sources_(graph.num_nodes()) {
    is_scalar_.assign(graph.num_nodes(), false);
    is_step_.assign(graph.num_nodes(), false);
    group_of_.assign(graph.num_nodes(), kNoIndex);
    for (size_t i = 0; i < nodes.size(); ++i) {
      is_step_[static_cast<size_t>(nodes[i])] = true;
      group_of_[static_cast<size_t>(nodes[i])] = groups[i];
      next_ = std::max(next_, groups[i] + 1);
    }
  }

  void find() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = graph_.node(nodes_[i]);
      if (groups_[i] != kNoIndex || !is_scalar_op(graph_, node)) continue;
      const auto at = static_cast<size_t>(nodes_[i]);
      is_scalar_[at] = true;
      sources_[at] = sources_of(node);
      // Too many to compare: users of the op wait for the op itself.
      if (sources_[at].size() > kMostSources) sources_[at] = {name_of(nodes_[i])};
      Open& open = open_[sources_[at]];
      if (open.size == 0 || open.size == kMostScalarOps) open = {next_++, 0};
      ++open.size;
      groups_[i] = open.group;
    }
  }

 private:
  // Few enough to compare quickly.
  static constexpr size_t kMostSources = 8;
  using Sources = std::vector<int32_t>;  // sorted
  struct Open {
    int32_t group = kNoIndex;
    size_t size = 0;
  };

  // The name of a step: its group or, if negative, its only node.
  int32_t name_of(NodeId id) const {
    const int32_t group = group_of_[static_cast<size_t>(id)];
    return group != kNoIndex ? group : -1 - static_cast<int32_t>(id);
  }

  Sources sources_of(const Node& node) const {
    Sources found;
    for (ValueId input : graph_.inputs(node)) {
      const NodeId maker = graph_.node_of(input);
      const auto at = static_cast<size_t>(maker);
      if (is_scalar_[at]) {
        found.insert(found.end(), sources_[at].begin(), sources_[at].end());
      } else if (is_step_[at]) {
        found.push_back(name_of(maker));
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  const Graph& graph_;
  std::span<const NodeId> nodes_;
  std::vector<int32_t>& groups_;   // by position
  std::vector<Sources> sources_;   // of nodes
  std::vector<bool> is_scalar_;    // of nodes: in one of the groups found here
  std::vector<bool> is_step_;      // of nodes: not a leaf
  std::vector<int32_t> group_of_;  // of nodes: other groups
  std::map<Sources, Open> open_;   // groups that accept more ops
  int32_t next_ = 0;
};

class ScalarBuilder {
 public:
  ScalarBuilder(const Graph& graph, const std::function<bool(ValueId)>& is_kept)
      : graph_(graph), is_kept_(is_kept) {}

  Scalars build(std::span<const NodeId> nodes) {
    for (NodeId id : nodes) add(graph_.node(id));
    scalars_.steps.push_back(kernels::scalar_end());
    return std::move(scalars_);
  }

 private:
  void add(const Node& node) {
    const Formula& formula = *node.op->cpu.formula;
    const std::span<const ValueId> inputs = graph_.inputs(node);
    uint16_t places[kMostScalarInputs] = {};
    for (size_t i = 0; i < inputs.size(); ++i) places[i] = place_of(inputs[i]);
    if (formula.refuses(graph_.dtype(inputs.back()))) {
      ScalarStep check = kernels::scalar_check(formula, graph_.dtype(inputs.back()));
      check.x = places[inputs.size() - 1];
      push(check, node);
    }
    if (formula.is_swapped) std::swap(places[0], places[1]);
    const ValueId output = node.first_output;
    ScalarStep step = kernels::scalar_step(formula, graph_.dtype(inputs[0]), graph_.dtype(output));
    step.x = places[0];
    step.y = places[1];
    step.z = places[2];
    step.out = new_place(output);
    push(step, node);
    if (is_kept_(output)) scalars_.stores.push_back(transfer(output, step.out));
  }

  void push(const ScalarStep& step, const Node& node) {
    scalars_.steps.push_back(step);
    scalars_.ops.push_back(node.op);
  }

  uint16_t place_of(ValueId value) {
    const auto found = registers_.find(value);
    if (found != registers_.end()) return found->second;
    const uint16_t place = new_place(value);
    scalars_.loads.push_back(transfer(value, place));
    return place;
  }

  uint16_t new_place(ValueId value) {
    const auto place = static_cast<uint16_t>(registers_.size());
    registers_.emplace(value, place);
    return place;
  }

  Scalars::Transfer transfer(ValueId value, uint16_t place) const {
    return {.value = value,
            .place = place,
            .bytes = static_cast<uint16_t>(dtype_size(graph_.dtype(value)))};
  }

  const Graph& graph_;
  const std::function<bool(ValueId)>& is_kept_;
  Scalars scalars_;
  std::unordered_map<ValueId, uint16_t> registers_;
};

}  // namespace

bool is_scalar_op(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOp) return false;
  const Formula* formula = node.op->cpu.formula;
  if (formula == nullptr || !formula->is_elementwise() || !is_scalar(graph, node.first_output))
    return false;
  const std::span<const ValueId> inputs = graph.inputs(node);
  if (formula->kind == Formula::Kind::kCast &&
      graph.dtype(inputs[0]) == graph.dtype(node.first_output))
    return false;  // it has no kernel: the data is shared
  return inputs.size() <= kMostScalarInputs &&
         std::all_of(inputs.begin(), inputs.end(),
                     [&](ValueId input) { return is_scalar(graph, input); });
}

void group_scalars(const Graph& graph, std::span<const NodeId> nodes,
                   std::vector<int32_t>& groups) {
  ScalarFinder(graph, nodes, groups).find();
}

Scalars make_scalars(const Graph& graph, std::span<const NodeId> nodes,
                     const std::function<bool(ValueId)>& is_kept) {
  return ScalarBuilder(graph, is_kept).build(nodes);
}

}  // namespace penstock::exec
