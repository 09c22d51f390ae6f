// Gradients in a TensorFlow 1 graph: one node, which knows the nodes between xs and ys.
#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/graph_builder.h>

#include "exec/trace/deferred_gradients.h"
#include "exec/v1/builder_state.h"
#include "graph/control.h"

namespace penstock {
namespace {

size_t index_of(ValueId value) { return static_cast<size_t>(value); }

// The nodes of a graph that gradients flow through, from the ys to the xs.
class Paths {
 public:
  explicit Paths(const Graph& graph)
      : graph_(graph),
        from_x_(graph.num_values()),
        to_y_(graph.num_values()),
        is_stop_(graph.num_values()) {}

  void add_x(ValueId value) { from_x_[index_of(value)] = true; }
  void add_y(ValueId value) { to_y_[index_of(value)] = true; }
  // No gradient goes through the node that computes the value; the value itself may be an x.
  void add_stop(ValueId value) { is_stop_[index_of(value)] = true; }

  // Whether a value depends on an x, after mark_from_x(); whether a y depends on it, after nodes().
  bool is_from_x(ValueId value) const { return from_x_[index_of(value)]; }
  bool leads_to_y(ValueId value) const { return to_y_[index_of(value)]; }

  void mark_from_x() {
    for (size_t n = 0; n < graph_.num_nodes(); ++n) {
      const Node& node = graph_.node(static_cast<NodeId>(n));
      const bool leads = can_flow(node) && std::ranges::any_of(graph_.inputs(node), [&](ValueId x) {
                           return is_from_x(x) && is_differentiable(graph_.dtype(x));
                         });
      for (ValueId k = node.first_output; leads && k < node.first_output + node.num_outputs; ++k)
        if (is_differentiable(graph_.dtype(k))) from_x_[index_of(k)] = true;
    }
  }

  // The nodes on the paths, the last one first.
  std::vector<NodeId> nodes() {
    std::vector<NodeId> nodes;
    for (size_t n = graph_.num_nodes(); n-- > 0;) {
      const Node& node = graph_.node(static_cast<NodeId>(n));
      if (!can_flow(node)) continue;
      bool is_on_way = false;
      for (ValueId k = node.first_output; k < node.first_output + node.num_outputs; ++k)
        is_on_way = is_on_way || (is_from_x(k) && leads_to_y(k));
      const auto inputs = graph_.inputs(node);
      if (!is_on_way || std::ranges::none_of(inputs, [&](ValueId x) { return is_from_x(x); }))
        continue;
      nodes.push_back(static_cast<NodeId>(n));
      for (ValueId input : inputs) to_y_[index_of(input)] = true;
    }
    return nodes;
  }

 private:
  bool can_flow(const Node& node) const {
    for (ValueId k = node.first_output; k < node.first_output + node.num_outputs; ++k) {
      if (is_stop_[index_of(k)]) return false;
    }
    if (node.kind == NodeKind::kGradient || node.kind == NodeKind::kControl) return true;
    return node.kind == NodeKind::kOp && node.op->grad.value != no_gradient;
  }

  const Graph& graph_;
  std::vector<bool> from_x_, to_y_, is_stop_;
};

const OpDef* op_without_derivative(const Graph& graph, NodeId id, const Paths& paths);

// The same for a region of a branch or loop with these inputs and outputs. The outputs of a loop's
// body are its inputs again, and the gradient of a loop has the gradients of all its states.
const OpDef* op_without_derivative(const Graph& region, std::span<const ValueId> inputs,
                                   ValueId first_output, size_t num_outputs, bool is_loop,
                                   const Paths& outer) {
  Paths paths(region);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (outer.is_from_x(inputs[i])) paths.add_x(region.inputs()[i]);
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    if (is_loop || outer.leads_to_y(first_output + static_cast<ValueId>(i)))
      paths.add_y(region.outputs()[i]);
  }
  for (bool is_done = false; !is_done;) {
    is_done = true;
    paths.mark_from_x();
    for (size_t i = 0; is_loop && i < num_outputs; ++i) {
      const ValueId before = region.inputs()[i];
      if (!paths.is_from_x(region.outputs()[i]) || paths.is_from_x(before)) continue;
      paths.add_x(before);
      is_done = false;
    }
  }
  for (NodeId id : paths.nodes()) {
    if (const OpDef* op = op_without_derivative(region, id, paths)) return op;
  }
  return nullptr;
}

// An op on the paths whose derivative is not implemented, at a node or in its regions; null if
// there is none.
const OpDef* op_without_derivative(const Graph& graph, NodeId id, const Paths& paths) {
  const Node& node = graph.node(id);
  if (node.kind == NodeKind::kOp)
    return node.op->grad.value == missing_gradient ? node.op : nullptr;
  if (node.kind != NodeKind::kControl) return nullptr;
  const Control& control = *graph.control(node);
  if (control.has_custom_gradients || control.kind == Control::Kind::kLoopGradient) return nullptr;
  if (control.kind == Control::Kind::kLoop)
    return op_without_derivative(control.region(Control::kBody), graph.inputs(node),
                                 node.first_output, static_cast<size_t>(control.num_states), true,
                                 paths);
  for (const auto& region : control.regions) {
    const OpDef* op = op_without_derivative(*region, graph.inputs(node).subspan(1),
                                            node.first_output, node.num_outputs, false, paths);
    if (op != nullptr) return op;
  }
  return nullptr;
}

}  // namespace

std::vector<Tensor> GraphBuilder::gradients(std::span<const Tensor> ys, std::span<const Tensor> xs,
                                            std::span<const Tensor> grad_ys,
                                            std::span<const Tensor> stops) {
  state_->check_open();
  for (const auto& tensors : {ys, xs, grad_ys, stops}) {
    for (const Tensor& tensor : tensors) {
      if (tensor.graph() != state_->number) exec::fail_out_of_scope(tensor);
    }
  }
  const Graph& graph = state_->graph;
  Paths paths(graph);
  for (const Tensor& stop : stops) paths.add_stop(stop.value());
  for (const Tensor& x : xs) paths.add_x(x.value());
  for (const Tensor& y : ys) paths.add_y(y.value());
  paths.mark_from_x();
  exec::GradientRequest request;
  for (NodeId id : paths.nodes()) {
    if (const OpDef* op = op_without_derivative(graph, id, paths)) {
      throw MissingGradientError(
          cat("No gradient defined for operation '", name(id), "' (op type: ", op->name.value,
              "). Use tf.stop_gradient before it if it is to count as a constant."));
    }
    request.way.push_back(graph.node(id).first_output);
  }
  for (const Tensor& y : ys) request.targets.push_back(y.value());
  for (const Tensor& dy : grad_ys) request.dys.push_back(dy.value());
  std::vector<size_t> connected;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!paths.leads_to_y(xs[i].value())) continue;
    request.sources.push_back({xs[i].value()});
    connected.push_back(i);
  }
  std::vector<Tensor> results(xs.size());
  const std::vector<Gradient> gradients = exec::add_gradient(*state_, request);
  for (size_t k = 0; k < gradients.size(); ++k) results[connected[k]] = gradients[k].values();
  return results;
}

}  // namespace penstock
