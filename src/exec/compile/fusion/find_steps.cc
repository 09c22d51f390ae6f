#include "exec/compile/fusion/find_steps.h"

#include "exec/compile/fusion/groups.h"
#include "exec/compile/fusion/tiles.h"

namespace penstock::exec {
namespace {

// The op and control nodes that a result needs.
std::vector<NodeId> nodes_to_run(const Graph& graph) {
  std::vector<NodeId> nodes;
  const std::vector<bool> needed = needed_nodes(graph, results_of(graph));
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const NodeKind kind = graph.node(id).kind;
    if (needed[static_cast<size_t>(id)] && (kind == NodeKind::kOp || kind == NodeKind::kControl))
      nodes.push_back(id);
  }
  return nodes;
}

// Whether all outputs alias inputs.
bool only_shares(const Graph& graph, const Node& node) {
  SmallVector<View, 4> views;
  for (ValueId input : graph.inputs(node)) views.push_back(graph.view(input));
  InferContext infer(*node.op, views, graph.attrs(node));
  node.op->infer.value(infer);
  for (const OutputSpec& spec : infer.outputs()) {
    if (spec.shares_input < 0) return false;
  }
  return true;
}

class StepFinder {
 public:
  explicit StepFinder(const Graph& graph) : graph_(graph) {}

  std::vector<Step> find() {
    const std::vector<NodeId> nodes = nodes_to_run(graph_);
    put_together(nodes, find_groups(graph_, nodes));
    find_kept();
    for (size_t s = 0; s < steps_.size(); ++s) steps_[s].payload = payload_of(steps_[s]);
    return std::move(steps_);
  }

 private:
  // Nodes of one group form one step, at the position of the last node.
  void put_together(std::span<const NodeId> nodes, std::span<const int32_t> groups) {
    std::vector<int32_t> last(nodes.size(), kNoIndex);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (groups[i] != kNoIndex) last[static_cast<size_t>(groups[i])] = static_cast<int32_t>(i);
    }
    const auto comes_at = [&](size_t i) {
      return groups[i] == kNoIndex ? i : static_cast<size_t>(last[static_cast<size_t>(groups[i])]);
    };
    std::vector<int32_t> number(nodes.size());
    int32_t count = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (comes_at(i) == i) number[i] = count++;
    }
    steps_.resize(static_cast<size_t>(count));
    step_of_.assign(graph_.num_nodes(), kNoIndex);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const int32_t step = number[comes_at(i)];
      step_of_[static_cast<size_t>(nodes[i])] = step;
      steps_[static_cast<size_t>(step)].nodes.push_back(nodes[i]);
    }
  }

  // Marks values that are used outside the step that makes them.
  void find_kept() {
    is_kept_.assign(graph_.num_values(), false);
    for (ValueId result : results_of(graph_)) is_kept_[static_cast<size_t>(result)] = true;
    for (size_t s = 0; s < steps_.size(); ++s) {
      for (NodeId id : steps_[s].nodes) {
        for (ValueId input : graph_.inputs(graph_.node(id))) {
          if (step_of_[static_cast<size_t>(graph_.node_of(input))] != static_cast<int32_t>(s))
            is_kept_[static_cast<size_t>(input)] = true;
        }
      }
    }
  }

  Step::Payload payload_of(const Step& step) const {
    const Node& first = graph_.node(step.nodes[0]);
    const auto is_kept = [&](ValueId value) { return is_kept_[static_cast<size_t>(value)]; };
    if (first.kind == NodeKind::kControl) return ControlStep{first.index};
    if (is_scalar_op(graph_, first))
      return std::make_unique<Scalars>(make_scalars(graph_, step.nodes, is_kept));
    if (step.nodes.size() > 1) {
      const ProductStep product = product_step(graph_, step.nodes);
      if (product.run != nullptr) return std::make_unique<ProductStep>(product);
      return std::make_unique<Tiles>(make_tiles(graph_, step.nodes, is_kept));
    }
    if (only_shares(graph_, first)) return Step::Nothing();
    if (std::unique_ptr<DirectLoop> loop = find_direct_loop(graph_, first)) return loop;
    return Step::Kernel();
  }

  const Graph& graph_;
  std::vector<Step> steps_;
  std::vector<int32_t> step_of_;  // of nodes
  std::vector<bool> is_kept_;     // of values
};

}  // namespace

std::vector<Step> find_steps(const Graph& graph) { return StepFinder(graph).find(); }

}  // namespace penstock::exec
