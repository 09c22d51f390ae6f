#include "exec/function/forward_mode_call.h"

#include <algorithm>

#include <penstock/autodiff/forward.h>
#include <penstock/exec/trace.h>

#include "autodiff/push_forward.h"
#include "exec/function/interpreted_call.h"
#include "exec/op_call.h"
#include "exec/trace/function_state.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {
namespace {

std::shared_ptr<WithTangents> make(const FunctionState& function, std::vector<bool> wanted) {
  auto joint = std::make_shared<WithTangents>();
  const Graph& graph = function.graph;
  const size_t num_inputs = graph.num_inputs();
  Trace trace(function.name);
  ForwardAccumulator accumulator;
  std::vector<Tensor> inputs;
  for (ValueId input : graph.inputs())
    inputs.push_back(trace.input(graph.dtype(input), graph.shape(input)));
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    if (i < num_inputs) {
      accumulator.watch(inputs[i], trace.input(inputs[i].dtype(), inputs[i].shape()));
    } else {
      const Variable& variable = function.variables[i - num_inputs];
      accumulator.watch(Source(variable), trace.input(variable.dtype(), variable.shape()));
    }
  }
  accumulator.start();
  std::vector<Tensor> results = interpret_call(function, pointers_to(inputs),
                                               function.states(&FollowedStates::by_accumulator));
  accumulator.stop();
  const size_t num_outputs = results.size();
  for (size_t i = 0; i < num_outputs; ++i) {
    Tensor tangent = accumulator.jvp(results[i]);
    if (!tangent.defined()) continue;
    joint->outputs.push_back(static_cast<int32_t>(i));
    results.push_back(std::move(tangent));
  }
  joint->function = trace.finish(results);
  joint->wanted = std::move(wanted);
  return joint;
}

std::shared_ptr<const WithTangents> with_tangents(FunctionState& function,
                                                  const std::vector<bool>& wanted) {
  const std::lock_guard lock(function.mutex);
  for (const auto& cached : function.with_tangents) {
    if (cached->wanted == wanted) return cached;
  }
  function.with_tangents.push_back(make(function, wanted));
  return function.with_tangents.back();
}

}  // namespace

bool is_pushed_forward() {
  const autodiff::TapeState* innermost = autodiff::t_innermost;
  return autodiff::is_recording() && innermost->tangents != nullptr &&
         !innermost->is_closed.load(std::memory_order_acquire);
}

Tensors call_with_tangents(const Function& function, std::span<const Tensor* const> inputs) {
  autodiff::TapeState& accumulator = *autodiff::t_innermost;
  FunctionState& state = function.state();
  std::vector<bool> wanted;
  SmallVector<const Tensor*, 8> arguments(inputs.begin(), inputs.end());
  std::vector<Tensor> tangents;
  const auto want = [&](uint64_t id, DType dtype) {
    Tensor tangent = is_differentiable(dtype) ? accumulator.tangents->find(id) : Tensor();
    wanted.push_back(tangent.defined());
    if (tangent.defined()) tangents.push_back(std::move(tangent));
  };
  for (const Tensor* input : inputs) want(input->id(), input->dtype());
  for (const Variable& variable : state.variables) want(variable.id(), variable.dtype());
  for (const Tensor& tangent : tangents) arguments.push_back(&tangent);
  std::shared_ptr<const WithTangents> forward;
  Tensors all;
  {
    const autodiff::AroundAccumulator around(accumulator);
    if (tangents.empty()) return function(inputs);
    forward = with_tangents(state, wanted);
    all = forward->function(std::span<const Tensor* const>(arguments));
  }
  const size_t num_outputs = state.graph.outputs().size();
  Tensors outputs;
  for (size_t i = 0; i < num_outputs; ++i) outputs.push_back(all[i]);
  for (size_t k = 0; k < forward->outputs.size(); ++k) {
    const auto i = static_cast<size_t>(forward->outputs[k]);
    accumulator.tangents->set(outputs[i], all[num_outputs + k]);
  }
  return outputs;
}

}  // namespace penstock::exec

namespace penstock::autodiff {

std::vector<Tensor> transposed_apart(const Record& call, const Moving& moving) {
  if (exec::t_trace != nullptr) return transposed_tangents(call, moving);
  Trace trace(call.op->name.value);
  std::vector<Tensor> arguments;
  const auto traced = [&](const Tensor& tensor) {
    arguments.push_back(tensor);
    return trace.input(tensor.dtype(), tensor.shape());
  };
  // Inputs that infer reads, and those without a derivative, stay concrete.
  Record symbolic = copy_of(call);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!is_differentiable(call.inputs[i].dtype()) || call.op->input(i).host) continue;
    const auto same = std::ranges::find(call.inputs, call.inputs[i].id(), &Tensor::id);
    const auto first = static_cast<size_t>(same - call.inputs.begin());
    symbolic.inputs[i] = first < i ? symbolic.inputs[first] : traced(call.inputs[i]);
  }
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    if (is_differentiable(call.outputs[i].dtype())) symbolic.outputs[i] = traced(call.outputs[i]);
  }
  Moving symbols;
  symbols.inputs = moving.inputs;
  for (const Tensor& tangent : moving.tangents) symbols.tangents.push_back(traced(tangent));
  std::vector<Tensor> tangents = transposed_tangents(symbolic, symbols);
  std::vector<Tensor> defined;
  for (const Tensor& tangent : tangents) {
    if (tangent.defined()) defined.push_back(tangent);
  }
  // Drops the nodes that existed only to be transposed.
  const Function function = trace.finish(defined);
  symbolic = Record();
  const std::vector<Tensor> results =
      exec::interpret_call(function.state(), exec::pointers_to(arguments));
  size_t next = 0;
  for (Tensor& tangent : tangents) {
    if (tangent.defined()) tangent = results[next++];
  }
  return tangents;
}

}  // namespace penstock::autodiff
