// Compiles what a session fetches: the needed nodes are traced as one function.
#include <unordered_map>

#include <penstock/base/error.h>
#include <penstock/exec/graph_builder.h>
#include <penstock/exec/trace.h>

#include "exec/control/control_calls.h"
#include "exec/eager/interpreter.h"
#include "exec/op_call.h"
#include "exec/trace/function_state.h"
#include "exec/trace/random_states.h"
#include "exec/v1/builder_state.h"
#include "exec/v1/session_needs.h"

namespace penstock {

using exec::t_trace;

namespace {

// A gradient follows the calls that computed its values: a fed value has no such call.
void check_ways(const Graph& graph, std::span<const NodeId> nodes, std::span<const Tensor> feeds) {
  for (NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kGradient) continue;
    for (ValueId value : graph.inputs(node).subspan(graph.gradient(node).first_on_way())) {
      for (const Tensor& feed : feeds) {
        if (graph.node_of(feed.value()) == graph.node_of(value))
          throw UnimplementedError("[gradients] through a tensor that is fed instead of computed");
      }
    }
  }
}

// The nodes as a new graph; `values` maps old values to new ones.
Graph copy_of(const Graph& graph, std::span<const NodeId> nodes, std::span<const Tensor> feeds,
              std::span<const Shape> shapes, std::unordered_map<ValueId, ValueId>& values) {
  Graph copy;
  for (size_t i = 0; i < feeds.size(); ++i)
    values[feeds[i].value()] = copy.add_input(feeds[i].dtype(), shapes[i]);
  for (NodeId id : nodes) {
    const Node& node = graph.node(id);
    SmallVector<ValueId, 4> inputs;
    for (ValueId input : graph.inputs(node)) inputs.push_back(values.at(input));
    const ValueId first = copy.node(copy.add_copy(graph, node, inputs)).first_output;
    for (ValueId k = 0; k < node.num_outputs; ++k) values.emplace(node.first_output + k, first + k);
  }
  return copy;
}

// Adds unread random draws to the outputs.
void add_unread(exec::TraceState& trace, exec::Interpreter& interpreter,
                std::span<const ValueId> drawn, std::vector<Tensor>& outputs) {
  if (drawn.empty()) return;
  std::vector<ValueId> wanted;
  for (const Tensor& output : outputs) {
    if (output.graph() == trace.number) wanted.push_back(output.value());
  }
  for (const auto& slot : trace.slots) {
    if (slot.is_written) wanted.push_back(trace.value_of(slot.current));
  }
  const std::vector<bool> needed = needed_nodes(trace.graph, wanted, true);
  for (const ValueId value : drawn) {
    const Tensor& tensor = interpreter.value(value);
    if (tensor.graph() != trace.number) continue;
    if (!needed[static_cast<size_t>(trace.graph.node_of(tensor.value()))])
      outputs.push_back(tensor);
  }
}

}  // namespace

Function GraphBuilder::compile(std::span<const Tensor> feeds, std::span<const Shape> shapes,
                               std::span<const Tensor> fetches, std::span<const int32_t> targets,
                               std::span<const Variable> variables, const RandomStates& random) {
  return with_memory_errors("Session.run", [&] {
    const exec::Needs needs = exec::needs_of(*state_, feeds, fetches, targets);
    check_ways(state_->graph, needs.nodes, feeds);
    std::unordered_map<ValueId, ValueId> values;
    const Graph graph = copy_of(state_->graph, needs.nodes, feeds, shapes, values);
    const LeaveTraces leave;
    Trace trace("Session.run");
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < feeds.size(); ++i)
      inputs.push_back(trace.input(feeds[i].dtype(), shapes[i]));
    const exec::TensorPointers pointers = exec::pointers_to(inputs);
    exec::Interpreter interpreter(graph, pointers, variables,
                                  std::vector<bool>(graph.num_nodes(), true), exec::call_control,
                                  &random.map());
    for (const Tensor& fetch : fetches) interpreter.keep(values.at(fetch.value()));
    std::vector<ValueId> drawn;
    for (const NodeId id : needs.drawing) {
      drawn.push_back(values.at(state_->graph.node(id).first_output));
      interpreter.keep(drawn.back());
    }
    interpreter.run();
    std::vector<Tensor> outputs;
    for (const Tensor& fetch : fetches)
      outputs.push_back(interpreter.value(values.at(fetch.value())));
    add_unread(*t_trace, interpreter, drawn, outputs);
    return trace.finish(outputs);
  });
}

}  // namespace penstock
