#include "graph/passes/share_loop_checkpoints.h"

#include <algorithm>

#include "graph/copier.h"
#include "graph/extract.h"
#include "graph/loop_states.h"

namespace penstock {
namespace {

using Kind = Control::Kind;

const Control* control_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.kind == NodeKind::kControl ? graph.control(node).get() : nullptr;
}

// The loop of a gradient, if it comes before it and has no other gradient.
NodeId loop_of(const Graph& graph, NodeId gradient) {
  const Control& wanted = *control_of(graph, gradient);
  NodeId loop = kNoIndex;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const Control* control = control_of(graph, id);
    if (control == nullptr || id == gradient || control->loop != wanted.loop) continue;
    if (control->kind == Kind::kBranch) continue;
    if (control->kind == Kind::kLoopGradient || loop != kNoIndex || id > gradient) return kNoIndex;
    loop = id;
  }
  return loop;
}

struct Pair {
  NodeId loop, gradient;
  std::shared_ptr<Control> loop_control, gradient_control;
  int64_t bytes;
};

std::vector<Pair> find_pairs(const Graph& graph) {
  std::vector<Pair> pairs;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const Control* gradient = control_of(graph, id);
    if (gradient == nullptr || gradient->kind != Kind::kLoopGradient || gradient->trips < 2 ||
        gradient->swaps || gradient->shares_checkpoints || gradient->loop == 0)
      continue;
    const NodeId loop = loop_of(graph, id);
    if (loop == kNoIndex || control_of(graph, loop)->trips != gradient->trips) continue;
    Pair pair{loop, id, std::make_shared<Control>(*control_of(graph, loop)),
              std::make_shared<Control>(*gradient), 0};
    pair.loop_control->states.clear();
    for (int32_t number : gradient->numbers) {
      const auto at = std::ranges::find(pair.loop_control->numbers, number);
      if (at == pair.loop_control->numbers.end()) break;
      pair.loop_control->states.push_back(
          static_cast<int32_t>(at - pair.loop_control->numbers.begin()));
    }
    if (pair.loop_control->states.size() != gradient->numbers.size()) continue;
    const int64_t checkpoints = num_checkpoints(*gradient);
    pair.loop_control->checkpoints = pair.gradient_control->checkpoints = checkpoints;
    pair.loop_control->shares_checkpoints = pair.gradient_control->shares_checkpoints = true;
    const PackedStates form(gradient->region(Control::kBody), all_states(*gradient));
    pair.bytes = checkpoints * form.total();
    if (pair.bytes > 0) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

Graph limit_checkpoints(Graph graph, int64_t most) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const Control* control = control_of(graph, id);
    if (control == nullptr) continue;
    auto limited = std::make_shared<Control>(*control);
    if (limited->kind == Kind::kLoopGradient && limited->checkpoints == 0)
      limited->checkpoints = limited->trips < 0 ? most : std::min(most, num_checkpoints(*limited));
    for (auto& region : limited->regions) {
      Graph copy = extract(*region, region->inputs(), region->outputs(), {});
      region = std::make_shared<const Graph>(limit_checkpoints(std::move(copy), most));
    }
    graph.set_control(id, std::move(limited));
  }
  return graph;
}

Graph share_loop_checkpoints(Graph graph) {
  const std::vector<Pair> pairs = find_pairs(graph);
  if (pairs.empty()) return graph;
  Graph result;
  Copier copier(graph, result);
  std::vector<ValueId> stores(pairs.size());
  for (NodeId id = 0; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    const Node& node = graph.node(id);
    const auto loop = std::ranges::find(pairs, id, &Pair::loop);
    const auto gradient = std::ranges::find(pairs, id, &Pair::gradient);
    if (loop != pairs.end()) {
      const OutputSpec store{DType::kUInt8, Shape{loop->bytes}};
      const NodeId copy =
          copier.copy_control(node, loop->loop_control, copier.inputs(node), &store);
      stores[static_cast<size_t>(loop - pairs.begin())] =
          result.node(copy).first_output + static_cast<ValueId>(node.num_outputs);
    } else if (gradient != pairs.end()) {
      SmallVector<ValueId, 8> inputs = copier.inputs(node);
      inputs.push_back(stores[static_cast<size_t>(gradient - pairs.begin())]);
      copier.copy_control(node, gradient->gradient_control, inputs);
    } else {
      copier.copy(node);
    }
  }
  copier.finish();
  return result;
}

}  // namespace penstock
