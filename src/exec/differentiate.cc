#include "exec/differentiate.h"

#include <algorithm>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>

#include "autodiff/recording.h"
#include "exec/function_state.h"
#include "exec/replay.h"
#include "exec/trace_state.h"
#include "graph/extract.h"

namespace penstock::exec {
namespace {

std::vector<const Tensor*> pointers_to(std::span<const Tensor> tensors) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& tensor : tensors) pointers.push_back(&tensor);
  return pointers;
}

bool is_source(const Variable& variable) {
  return variable.trainable() && is_differentiable(variable.dtype());
}

// Values that the second half of a graph reads from the first.
std::vector<ValueId> crossing(const Graph& graph, NodeId boundary) {
  std::vector<bool> seen(graph.num_values());
  std::vector<ValueId> found;
  for (auto id = boundary; id < static_cast<NodeId>(graph.num_nodes()); ++id) {
    for (ValueId input : graph.inputs(graph.node(id))) {
      if (graph.node_of(input) >= boundary || seen[static_cast<size_t>(input)]) continue;
      seen[static_cast<size_t>(input)] = true;
      if (graph.constant_of(input) == nullptr) found.push_back(input);
    }
  }
  return found;
}

std::shared_ptr<Differentiated> make(const FunctionState& function, std::vector<bool> wanted) {
  auto made = std::make_shared<Differentiated>();
  const Graph& graph = function.graph;
  const size_t num_inputs = graph.num_inputs();
  Trace trace(function.name);
  std::vector<Tensor> inputs, dys, targets;
  for (ValueId input : graph.inputs())
    inputs.push_back(trace.input(graph.dtype(input), graph.shape(input)));
  Tape tape;
  std::vector<Source> sources;
  for (size_t i = 0; i < num_inputs; ++i) {
    if (!wanted[i]) continue;
    tape.watch(inputs[i]);
    sources.emplace_back(inputs[i]);
    made->sources.push_back(static_cast<int32_t>(i));
  }
  for (size_t slot = 0; slot < function.variables.size(); ++slot) {
    if (!is_source(function.variables[slot])) continue;
    sources.push_back(function.variables[slot]);
    made->sources.push_back(static_cast<int32_t>(num_inputs + slot));
  }
  const std::vector<Tensor> outputs = replay_call(function, pointers_to(inputs));
  const auto boundary = static_cast<NodeId>(t_trace->graph.num_nodes());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_differentiable(outputs[i].dtype()) || !outputs[i].is_symbolic()) continue;
    made->at_outputs.push_back(static_cast<int32_t>(i));
    targets.push_back(outputs[i]);
    dys.push_back(trace.input(outputs[i].dtype(), outputs[i].shape()));
  }
  std::vector<Tensor> results = outputs;
  std::vector<int32_t> connected;
  const std::vector<Gradient> gradients = tape.gradient(targets, sources, dys);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    connected.push_back(made->sources[i]);
    results.push_back(gradients[i].dense());
  }
  made->sources = std::move(connected);

  const Function joint = trace.finish(results);
  FunctionState& whole = joint.state();
  const std::span<const ValueId> all = whole.graph.outputs();
  const std::vector<ValueId> saved = crossing(whole.graph, boundary);
  const std::span<const ValueId> own_inputs = whole.graph.inputs().first(num_inputs);

  std::vector<ValueId> forward_outputs(all.begin(),
                                       all.begin() + static_cast<ptrdiff_t>(outputs.size()));
  // A gradient may be a value of the first half itself.
  std::vector<ValueId> kept = saved;
  for (ValueId gradient : all.subspan(outputs.size())) {
    if (whole.graph.node_of(gradient) < boundary && whole.graph.constant_of(gradient) == nullptr &&
        std::find(kept.begin(), kept.end(), gradient) == kept.end())
      kept.push_back(gradient);
  }
  forward_outputs.insert(forward_outputs.end(), kept.begin(), kept.end());
  Graph forward = extract(whole.graph, own_inputs, forward_outputs, whole.graph.writes());
  std::vector<ValueId> backward_inputs = kept;
  for (ValueId dy : whole.graph.inputs().subspan(num_inputs)) backward_inputs.push_back(dy);
  Graph backward = extract(whole.graph, backward_inputs, all.subspan(outputs.size()), {});
  made->wanted = std::move(wanted);
  made->forward = make_function(function.name, std::move(forward), whole.variables);
  made->backward = make_function(function.name + "_gradient", std::move(backward), {});
  return made;
}

}  // namespace

std::shared_ptr<const Differentiated> differentiate(FunctionState& function,
                                                    const std::vector<bool>& wanted) {
  const std::lock_guard lock(function.mutex);
  for (const auto& each : function.differentiated) {
    if (each->wanted == wanted) return each;
  }
  function.differentiated.push_back(make(function, wanted));
  return function.differentiated.back();
}

Tensors call_recorded(FunctionState& function, std::span<const Tensor* const> inputs) {
  std::vector<bool> wanted;
  for (const Tensor* input : inputs)
    wanted.push_back(is_differentiable(input->dtype()) && autodiff::knows_any({&input, 1}));
  const std::shared_ptr<const Differentiated> halves = differentiate(function, wanted);
  Tensors all;
  {
    const PauseRecording pause;
    all = halves->forward(inputs);
  }
  const size_t num_outputs = function.graph.outputs().size();
  std::vector<Tensor> outputs, saved, from;
  for (size_t i = 0; i < all.size(); ++i) {
    (i < num_outputs ? outputs : saved).push_back(all[i].shared_as(all[i].shape()));
  }
  for (int32_t source : halves->sources) {
    const auto index = static_cast<size_t>(source);
    if (index < inputs.size()) {
      from.push_back(*inputs[index]);
      continue;
    }
    const Variable& variable = function.variables[index - inputs.size()];
    autodiff::watch_variable(variable.id());
    from.push_back(Tensor::over({}, 0, variable.dtype(), variable.shape(), variable.id()));
  }
  record_custom(from, outputs, [halves, saved](std::span<const Tensor> dys) {
    std::vector<Tensor> given = saved;
    for (int32_t output : halves->at_outputs) given.push_back(dys[static_cast<size_t>(output)]);
    const Tensors gradients = halves->backward(std::span<const Tensor>(given));
    return std::vector<Gradient>(gradients.begin(), gradients.end());
  });
  return Tensors(outputs.begin(), outputs.end());
}

}  // namespace penstock::exec
