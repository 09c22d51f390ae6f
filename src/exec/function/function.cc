#include <penstock/exec/function.h>

#include <algorithm>
#include <optional>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/stand_in.h>
#include <penstock/recording/recording.h>

#include "autodiff/recording.h"
#include "exec/eager/interpreter.h"
#include "exec/function/forward_mode_call.h"
#include "exec/function/split_gradient.h"
#include "exec/op_call.h"
#include "exec/run/partly_planned.h"
#include "exec/run/program.h"
#include "exec/trace/function_state.h"
#include "exec/trace/trace_state.h"
#include "graph/loop_states.h"
#include "graph/passes/simplify.h"
#include "graph/text.h"

namespace penstock {
namespace exec {

Runner& FunctionState::ready() {
  if (!has_known_inputs) {
    throw InvalidArgumentError(
        cat("[", name,
            "] has inputs whose shapes are not known: what a call of it holds depends on "
            "their sizes"));
  }
  const std::lock_guard lock(mutex);
  if (runner != nullptr) return *runner;
  if (is_planned) {
    simplified = std::make_unique<Graph>(tie_loops(simplify(graph)));
    runner = std::make_unique<Program>(*simplified, variables, name);
  } else {
    runner = std::make_unique<Stages>(graph, variables, name);
  }
  return *runner;
}

std::unique_ptr<FunctionState::Retired> FunctionState::with_checkpoints(int64_t most) const {
  auto made = std::make_unique<Retired>();
  made->simplified = std::make_unique<Graph>(tie_loops(limit_checkpoints(simplify(graph), most)));
  made->runner = std::make_unique<Program>(*made->simplified, variables, name);
  return made;
}

namespace {
int64_t most_checkpoints(const MemoryPlan& plan) {
  int64_t most = 0;
  for (const PlannedLoop& loop : plan.loops) most = std::max(most, loop.checkpoints);
  return most;
}
}  // namespace

int64_t FunctionState::least_peak_bytes() {
  const MemoryPlan plan = ready().plan();
  if (!is_planned || most_checkpoints(plan) <= 1) return plan.peak_bytes;
  return std::min(plan.peak_bytes, with_checkpoints(1)->runner->peak_bytes());
}

bool FunctionState::fit(int64_t bytes) {
  const MemoryPlan plan = ready().plan();
  int64_t most = most_checkpoints(plan), state = 0;
  for (const PlannedLoop& loop : plan.loops) {
    if (loop.name == "while gradient" && loop.checkpoints < 0 && !loop.is_in_file)
      state = std::max(state, loop.state_bytes);
  }
  if (plan.peak_bytes <= bytes && state == 0) return true;
  if (!is_planned) return plan.peak_bytes <= bytes;
  // Loops of which the steps are not known keep what room there is for.
  if (state > 0) most = std::max(most, (bytes - plan.peak_bytes) / state + 1);
  const std::lock_guard lock(mutex);
  std::unique_ptr<Retired> best;
  // The most that fits.
  for (int64_t low = 1, high = state > 0 ? most : most - 1; low <= high;) {
    const int64_t middle = (low + high + 1) / 2;
    std::unique_ptr<Retired> made = with_checkpoints(middle);
    if (made->runner->plan().peak_bytes_after(INT64_MAX / 2) <= bytes) {
      best = std::move(made);
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  if (best == nullptr) return false;
  std::swap(best->simplified, simplified);
  std::swap(best->runner, runner);
  retired.push_back(std::move(best));
  return true;
}

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

}  // namespace

std::vector<Tensor> replay_call(const FunctionState& function, Inputs inputs, StateMap* states) {
  return replay_call(function, inputs, function.variables, states);
}

std::vector<Tensor> replay_call(const FunctionState& function, Inputs inputs,
                                std::span<const Variable> variables, StateMap* states) {
  SmallVector<const Tensor*, 8> all(inputs.begin(), inputs.end());
  for (const Tensor& capture : function.captures) all.push_back(&capture);
  const Graph& graph = function.graph;
  const std::vector<ValueId> results = results_of(graph);
  const size_t first = t_trace == nullptr ? 0 : t_trace->graph.num_nodes();
  Replay replay(graph, all, variables, needed_nodes(graph, results, true), states);
  for (ValueId result : results) replay.keep(result);
  replay.set_assigns(Replay::Assigns::kAndRead);
  replay.run();
  for (const Write& write : graph.writes()) {
    Variable variable = variables[static_cast<size_t>(write.slot)];
    variable.assign(replay.value(write.value));
  }
  std::vector<Tensor> outputs;
  for (ValueId output : graph.outputs()) outputs.push_back(replay.value(output));
  if (t_trace != nullptr) t_trace->called(static_cast<NodeId>(first), outputs);
  return outputs;
}

Function make_function(std::string name, Graph graph, std::vector<Variable> variables) {
  auto state = std::make_shared<FunctionState>(std::move(name), std::move(graph),
                                               std::move(variables), std::vector<Tensor>());
  state->followed = nullptr;  // a part of a function draws by the states of the whole
  return Function(std::move(state));
}

namespace {

bool is_watched(const FunctionState& function, Inputs inputs) {
  if (!autodiff::is_recording()) return false;
  return std::any_of(function.variables.begin(), function.variables.end(), is_source) ||
         autodiff::knows_any(inputs) ||
         std::any_of(function.variables.begin(), function.variables.end(),
                     [](const Variable& variable) { return autodiff::knows(variable.id()); });
}

// What a recording is told of a call. A function is where the first of its lines is.
recording::CallScope::Plan plan_of(const FunctionState& function, const Runner& runner) {
  const Graph& graph = function.graph;
  recording::CallScope::Plan plan;
  plan.name = function.name;
  plan.planned_peak = runner.peak_bytes();
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
      const std::vector<Tensor> outputs = exec::replay_call(*state_, inputs, &apart);
      return Tensors(outputs.begin(), outputs.end());
    }
    if (is_watched && (autodiff::may_record_gradients() || !state_->has_halves)) {
      exec::StateMap* const states =
          state_->states(autodiff::may_record_gradients() ? &exec::FollowedStates::by_tapes
                                                          : &exec::FollowedStates::by_tape);
      const std::vector<Tensor> outputs = exec::replay_call(*state_, inputs, states);
      return Tensors(outputs.begin(), outputs.end());
    }
    for (const Tensor* input : inputs) {
      if (input->is_symbolic()) exec::fail_out_of_scope(*input);
    }
    for (const Tensor& capture : state_->captures) exec::fail_out_of_scope(capture);
    if (is_watched) return exec::call_recorded(*state_, inputs);
    exec::Runner& runner = state_->ready();
    if (recording::is_on()) {
      const recording::CallScope call(exec::plan_of(*state_, runner));
      return runner.run(inputs);
    }
    return runner.run(inputs);
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
    Function made = trace.finish(exec::replay_call(*state_, exec::pointers_to(inputs)));
    made.state().followed = state_->followed;
    const std::lock_guard lock(state_->mutex);
    state_->known.insert(state_->known.begin(), {{shapes.begin(), shapes.end()}, made});
    if (state_->known.size() > kMostKnown) state_->known.pop_back();
    return made;
  });
}

Function with_variables(const Function& function, std::span<const Variable> from,
                        std::span<const Variable> to) {
  const exec::FunctionState& state = function.state();
  return with_memory_errors(state.name, [&] {
    std::vector<Variable> variables = state.variables;
    for (Variable& variable : variables) {
      const auto at = std::ranges::find(from, variable.id(), &Variable::id);
      if (at != from.end()) variable = to[static_cast<size_t>(at - from.begin())];
    }
    // One that uses tensors of the trace around it becomes a part of that.
    std::optional<LeaveTraces> leave;
    if (!function.has_captures()) leave.emplace();
    Trace trace(state.name);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < function.num_inputs(); ++i) {
      const ValueId input = state.graph.inputs()[i];
      inputs.push_back(trace.input(state.graph.dtype(input), state.graph.shape(input)));
    }
    return trace.finish(exec::replay_call(state, exec::pointers_to(inputs), variables));
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
  return with_memory_errors(state_->name, [&] { return state_->ready().plan(); });
}
int64_t Function::peak_bytes() const {
  return with_memory_errors(state_->name, [&] { return state_->ready().peak_bytes(); });
}
bool Function::fit(int64_t bytes) const {
  return with_memory_errors(state_->name, [&] { return state_->fit(bytes); });
}
int64_t Function::least_peak_bytes() const {
  return with_memory_errors(state_->name, [&] { return state_->least_peak_bytes(); });
}
size_t Function::num_instructions() const {
  return with_memory_errors(state_->name, [&] { return state_->ready().num_instructions(); });
}
std::string Function::text() const { return to_text(state_->graph); }
int64_t Function::bytes() const {
  const std::lock_guard lock(state_->mutex);
  int64_t bytes = state_->graph.memory_bytes();
  if (state_->runner != nullptr) {
    bytes += state_->runner->bytes();
    if (state_->simplified != nullptr) bytes += state_->simplified->memory_bytes(&state_->graph);
  }
  for (const auto& known : state_->known) bytes += known.function.bytes();
  for (const auto& halves : state_->differentiated)
    bytes += halves->forward.bytes() + halves->backward.bytes();
  for (const auto& whole : state_->with_tangents) bytes += whole->function.bytes();
  return bytes;
}
bool Function::has_captures() const { return !state_->captures.empty(); }

}  // namespace penstock
