#include <penstock/exec/function.h>

#include <algorithm>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/trace.h>
#include <penstock/recording/recording.h>

#include "autodiff/recording.h"
#include "exec/function/compile_function.h"
#include "exec/function/forward_mode_call.h"
#include "exec/function/interpreted_call.h"
#include "exec/function/split_gradient.h"
#include "exec/op_call.h"
#include "exec/trace/function_state.h"
#include "exec/trace/trace_state.h"
#include "graph/text.h"

namespace penstock {
namespace exec {
namespace {

using Inputs = std::span<const Tensor* const>;

void check_inputs(const FunctionState& function, Inputs inputs) {
  const Graph& graph = function.graph;
  const size_t count = graph.num_inputs() - function.captures.size();
  if (inputs.size() != count) {
    throw InvalidArgumentError(
        cat("[", function.name, "] takes ", count, " tensors, but got ", inputs.size()));
  }
  for (size_t i = 0; i < count; ++i) {
    const ValueId value = graph.inputs()[i];
    const Tensor& input = *inputs[i];
    if (input.dtype() == graph.dtype(value) && fits(input.shape(), graph.shape(value)) &&
        (input.has_data() || input.is_symbolic()))
      continue;
    throw InvalidArgumentError(cat("[", function.name, "] input ", i, " must be ",
                                   graph.dtype(value), graph.shape(value), ", but is ",
                                   input.dtype(), input.shape()));
  }
}

bool is_watched(const FunctionState& function, Inputs inputs) {
  if (!autodiff::is_recording()) return false;
  return std::any_of(function.variables.begin(), function.variables.end(), is_source) ||
         autodiff::knows_any(inputs) ||
         std::any_of(function.variables.begin(), function.variables.end(),
                     [](const Variable& variable) { return autodiff::knows(variable.id()); });
}

// The description of a call for a recording. A function's line is that of its first node.
recording::CallScope::Plan plan_of(const FunctionState& function,
                                   const CompiledFunction& compiled) {
  const Graph& graph = function.graph;
  recording::CallScope::Plan plan;
  plan.name = function.name;
  plan.planned_peak = compiled.peak_bytes();
  for (size_t n = 0; n < graph.num_nodes() && plan.file.empty(); ++n) {
    const Location at = graph.location(graph.node(static_cast<NodeId>(n)));
    plan.file = at.file;
    plan.line = at.line;
  }
  return plan;
}

}  // namespace
}  // namespace exec

Tensors Function::operator()(std::span<const Tensor* const> inputs) const {
  return with_memory_errors(state_->name, [&] {
    exec::check_inputs(*state_, inputs);
    if (exec::t_trace == nullptr && !state_->has_known_inputs) {
      std::vector<Shape> shapes;
      for (const Tensor* input : inputs) shapes.push_back(input->shape());
      return at(shapes)(inputs);
    }
    const bool is_watched = exec::t_trace == nullptr && exec::is_watched(*state_, inputs);
    if (is_watched && state_->is_planned && exec::is_pushed_forward())
      return exec::call_with_tangents(*this, inputs);
    if (exec::t_trace != nullptr) {
      exec::StateMap apart;  // two calls of a function are two functions
      const std::vector<Tensor> outputs = exec::interpret_call(*state_, inputs, &apart);
      return Tensors(outputs.begin(), outputs.end());
    }
    if (is_watched && (autodiff::may_record_gradients() || !state_->has_halves)) {
      exec::StateMap* const states =
          state_->states(autodiff::may_record_gradients() ? &exec::FollowedStates::by_tapes
                                                          : &exec::FollowedStates::by_tape);
      const std::vector<Tensor> outputs = exec::interpret_call(*state_, inputs, states);
      return Tensors(outputs.begin(), outputs.end());
    }
    for (const Tensor* input : inputs) {
      if (input->is_symbolic()) exec::fail_out_of_scope(*input);
    }
    for (const Tensor& capture : state_->captures) exec::fail_out_of_scope(capture);
    if (is_watched) return exec::call_recorded(*state_, inputs);
    exec::CompiledFunction& compiled = exec::compiled(*state_);
    if (recording::is_on()) {
      const recording::CallScope call(exec::plan_of(*state_, compiled));
      return compiled.run(inputs);
    }
    return compiled.run(inputs);
  });
}

Tensors Function::operator()(std::span<const Tensor> inputs) const {
  const exec::TensorPointers pointers = exec::pointers_to(inputs);
  return (*this)(std::span<const Tensor* const>(pointers));
}

Function Function::at(std::span<const Shape> shapes) const {
  constexpr size_t kMostKnown = 8;
  const Graph& graph = state_->graph;
  if (shapes.size() != num_inputs() || has_captures()) {
    throw InvalidArgumentError(cat("[", state_->name, "] takes ", num_inputs(), " tensors, but ",
                                   shapes.size(), " shapes are given"));
  }
  if (state_->has_known_inputs) return *this;
  return with_memory_errors(state_->name, [&] {
    {
      const std::lock_guard lock(state_->mutex);
      for (size_t i = 0; i < state_->known.size(); ++i) {
        if (!std::ranges::equal(state_->known[i].shapes, shapes)) continue;
        std::rotate(state_->known.begin(), state_->known.begin() + static_cast<ptrdiff_t>(i),
                    state_->known.begin() + static_cast<ptrdiff_t>(i) + 1);
        return state_->known[0].function;
      }
    }
    const LeaveTraces leave;
    Trace trace(state_->name);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < shapes.size(); ++i)
      inputs.push_back(trace.input(graph.dtype(graph.inputs()[i]), shapes[i]));
    Function retraced = trace.finish(exec::interpret_call(*state_, exec::pointers_to(inputs)));
    retraced.state().followed = state_->followed;
    const std::lock_guard lock(state_->mutex);
    state_->known.insert(state_->known.begin(), {{shapes.begin(), shapes.end()}, retraced});
    if (state_->known.size() > kMostKnown) state_->known.pop_back();
    return retraced;
  });
}

bool Function::has_known_inputs() const { return state_->has_known_inputs; }
bool Function::is_planned() const { return state_->is_planned; }
const std::string& Function::name() const { return state_->name; }
size_t Function::num_inputs() const { return state_->graph.num_inputs() - state_->captures.size(); }
size_t Function::num_outputs() const { return state_->graph.outputs().size(); }
std::vector<Variable> Function::variables() const { return state_->variables; }
bool Function::assigns() const { return !state_->graph.writes().empty(); }
MemoryPlan Function::plan() const {
  return with_memory_errors(state_->name, [&] { return exec::compiled(*state_).plan(); });
}
int64_t Function::peak_bytes() const {
  return with_memory_errors(state_->name, [&] { return exec::compiled(*state_).peak_bytes(); });
}
bool Function::fit(int64_t bytes) const {
  return with_memory_errors(state_->name, [&] { return exec::fit(*state_, bytes); });
}
int64_t Function::least_peak_bytes() const {
  return with_memory_errors(state_->name, [&] { return exec::least_peak_bytes(*state_); });
}
size_t Function::num_instructions() const {
  return with_memory_errors(state_->name,
                            [&] { return exec::compiled(*state_).num_instructions(); });
}
std::string Function::text() const { return to_text(state_->graph); }
int64_t Function::bytes() const {
  const std::lock_guard lock(state_->mutex);
  int64_t bytes = state_->graph.memory_bytes();
  if (state_->compiled != nullptr) {
    bytes += state_->compiled->bytes();
    if (state_->simplified != nullptr) bytes += state_->simplified->memory_bytes(&state_->graph);
  }
  for (const auto& known : state_->known) bytes += known.function.bytes();
  for (const auto& halves : state_->split_gradients)
    bytes += halves->forward.bytes() + halves->backward.bytes();
  for (const auto& whole : state_->with_tangents) bytes += whole->function.bytes();
  return bytes;
}
bool Function::has_captures() const { return !state_->captures.empty(); }
std::vector<Tensor> Function::captures_as_inputs() const {
  return std::exchange(state_->captures, {});
}
DType Function::output_dtype(size_t i) const {
  return state_->graph.dtype(state_->graph.outputs()[i]);
}
Shape Function::output_shape(size_t i) const {
  return state_->graph.shape(state_->graph.outputs()[i]);
}
bool Function::is_stateful() const { return state_->graph.is_stateful() || assigns(); }
Function Function::with_own_draws() const {
  if (state_->followed == nullptr) return *this;
  return with_memory_errors(state_->name, [&] {
    const Graph& graph = state_->graph;
    const LeaveTraces leave;
    exec::StateMap own;
    Trace trace(state_->name);
    std::vector<Tensor> inputs;
    for (const ValueId input : graph.inputs())
      inputs.push_back(trace.input(graph.dtype(input), graph.shape(input)));
    return trace.finish(exec::interpret_call(*state_, exec::pointers_to(inputs), &own));
  });
}

}  // namespace penstock
