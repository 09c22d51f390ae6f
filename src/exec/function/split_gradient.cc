#include "exec/function/split_gradient.h"

#include <algorithm>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/exec/trace.h>

#include "autodiff/recording.h"
#include "exec/function/interpreted_call.h"
#include "exec/op_call.h"
#include "exec/trace/function_state.h"
#include "graph/extract.h"

namespace penstock::exec {
namespace {

// Values of `half` that nodes outside it read, except constants.
std::vector<ValueId> crossing(const Graph& graph, const std::vector<bool>& half) {
  std::vector<bool> seen(graph.num_values());
  std::vector<ValueId> values;
  for (size_t n = 0; n < graph.num_nodes(); ++n) {
    if (half[n]) continue;
    for (ValueId input : graph.inputs(graph.node(static_cast<NodeId>(n)))) {
      if (!half[static_cast<size_t>(graph.node_of(input))] || seen[static_cast<size_t>(input)])
        continue;
      seen[static_cast<size_t>(input)] = true;
      if (graph.constant_of(input) == nullptr) values.push_back(input);
    }
  }
  return values;
}

// A function that returns a function's results and their gradients.
struct Joint {
  Function function;  // inputs, then gradients at outputs -> outputs, then gradients
  size_t num_inputs, num_outputs;
};

Joint trace_joint(const FunctionState& function, const std::vector<bool>& wanted,
                  SplitGradient& halves) {
  const Graph& graph = function.graph;
  const size_t num_inputs = graph.num_inputs();
  Trace trace(function.name);
  std::vector<Tensor> inputs, dys, targets;
  for (ValueId input : graph.inputs())
    inputs.push_back(trace.input(graph.dtype(input), graph.shape(input)));
  Tape tape;
  std::vector<Source> sources;
  std::vector<int32_t> numbers;  // of sources
  for (size_t i = 0; i < num_inputs; ++i) {
    if (!wanted[i]) continue;
    tape.watch(inputs[i]);
    sources.emplace_back(inputs[i]);
    numbers.push_back(static_cast<int32_t>(i));
  }
  for (size_t slot = 0; slot < function.variables.size(); ++slot) {
    if (!is_source(function.variables[slot])) continue;
    sources.push_back(function.variables[slot]);
    numbers.push_back(static_cast<int32_t>(num_inputs + slot));
  }
  std::vector<Tensor> results =
      interpret_call(function, pointers_to(inputs), function.states(&FollowedStates::by_tape));
  const size_t num_outputs = results.size();
  for (size_t i = 0; i < num_outputs; ++i) {
    if (!is_differentiable(results[i].dtype()) || !results[i].is_symbolic()) continue;
    halves.at_outputs.push_back(static_cast<int32_t>(i));
    targets.push_back(results[i]);
    dys.push_back(trace.input(results[i].dtype(), results[i].shape()));
  }
  const std::vector<Gradient> gradients = tape.gradient(targets, sources, dys);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Gradient& gradient = gradients[i];
    if (!gradient.defined()) continue;
    halves.gradients.push_back({numbers[i], gradient.is_sparse(), gradient.dense_shape()});
    results.push_back(gradient.values());
    if (gradient.is_sparse()) results.push_back(gradient.indices());
  }
  return {trace.finish(results), num_inputs, num_outputs};
}

// The values passed from the first half to the second. The first half contains everything that the
// function's own results need.
std::vector<ValueId> values_between(const Graph& graph, std::span<const ValueId> inputs,
                                    std::span<const ValueId> outputs,
                                    std::span<const ValueId> gradients) {
  std::vector<ValueId> own(outputs.begin(), outputs.end());
  for (const Write& write : graph.writes()) own.push_back(write.value);
  own.insert(own.end(), inputs.begin(), inputs.end());
  const std::vector<bool> first_half = needed_nodes(graph, own);
  std::vector<ValueId> between = crossing(graph, first_half);
  // A gradient may be a value of the first half itself.
  for (ValueId gradient : gradients) {
    if (first_half[static_cast<size_t>(graph.node_of(gradient))] &&
        graph.constant_of(gradient) == nullptr &&
        std::find(between.begin(), between.end(), gradient) == between.end())
      between.push_back(gradient);
  }
  return between;
}

std::shared_ptr<SplitGradient> make(const FunctionState& function, std::vector<bool> wanted) {
  auto halves = std::make_shared<SplitGradient>();
  const Joint joint = trace_joint(function, wanted, *halves);
  const FunctionState& whole = joint.function.state();
  const Graph& graph = whole.graph;
  const std::span<const ValueId> inputs = graph.inputs().first(joint.num_inputs);
  const std::span<const ValueId> outputs = graph.outputs().first(joint.num_outputs);
  const std::span<const ValueId> gradients = graph.outputs().subspan(joint.num_outputs);
  const std::vector<ValueId> between = values_between(graph, inputs, outputs, gradients);
  std::vector<ValueId> forward_outputs(outputs.begin(), outputs.end());
  forward_outputs.insert(forward_outputs.end(), between.begin(), between.end());
  std::vector<ValueId> backward_inputs = between;
  for (ValueId dy : graph.inputs().subspan(joint.num_inputs)) backward_inputs.push_back(dy);
  halves->wanted = std::move(wanted);
  halves->forward = make_function(
      function.name, extract(graph, inputs, forward_outputs, graph.writes()), whole.variables);
  halves->backward = make_function(function.name + "_gradient",
                                   extract(graph, backward_inputs, gradients, {}), {});
  return halves;
}

}  // namespace

bool is_source(const Variable& variable) {
  return variable.trainable() && is_differentiable(variable.dtype());
}

std::shared_ptr<const SplitGradient> split_gradient(FunctionState& function,
                                                    const std::vector<bool>& wanted) {
  const std::lock_guard lock(function.mutex);
  for (const auto& halves : function.split_gradients) {
    if (halves->wanted == wanted) return halves;
  }
  function.split_gradients.push_back(make(function, wanted));
  return function.split_gradients.back();
}

Tensors call_recorded(FunctionState& function, std::span<const Tensor* const> inputs) {
  std::vector<bool> wanted;
  for (const Tensor* input : inputs) wanted.push_back(autodiff::knows_any({&input, 1}));
  const std::shared_ptr<const SplitGradient> halves = split_gradient(function, wanted);
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
  for (const GradientForm& gradient : halves->gradients) {
    const auto index = static_cast<size_t>(gradient.source);
    if (index < inputs.size()) {
      from.push_back(*inputs[index]);
      continue;
    }
    const Variable& variable = function.variables[index - inputs.size()];
    autodiff::watch_variable(variable.id());
    from.push_back(Tensor::over({}, 0, variable.dtype(), variable.shape(), variable.id()));
  }
  record_custom(from, outputs, [halves, saved](std::span<const Tensor> dys) {
    std::vector<Tensor> arguments = saved;
    for (int32_t output : halves->at_outputs) arguments.push_back(dys[static_cast<size_t>(output)]);
    const Tensors gradient_tensors = halves->backward(std::span<const Tensor>(arguments));
    std::vector<Gradient> gradients;
    const Tensor* next = gradient_tensors.begin();
    for (const GradientForm& form : halves->gradients) {
      const Tensor& values = *next++;
      gradients.push_back(form.is_sparse ? Gradient::sparse(values, *next++, form.dense_shape)
                                         : Gradient(values));
    }
    return gradients;
  });
  return Tensors(outputs.begin(), outputs.end());
}

}  // namespace penstock::exec
