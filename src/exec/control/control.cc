// Branches and loops: adds what a front end has traced to the graph as nodes.
#include <penstock/exec/control.h>

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>

#include "autodiff/recording.h"
#include "exec/control/control_calls.h"
#include "exec/control/control_gradients.h"
#include "exec/trace/function_state.h"
#include "exec/trace/trace_state.h"
#include "graph/copier.h"
#include "graph/loop_states.h"

namespace penstock {
namespace exec {
namespace {

// The tensors that regions use from the enclosing trace, each once.
class Uses {
 public:
  int32_t number_of(const Tensor& tensor) {
    const auto found = std::ranges::find(tensors_, tensor.id(), &Tensor::id);
    if (found != tensors_.end()) return static_cast<int32_t>(found - tensors_.begin());
    tensors_.push_back(tensor);
    return static_cast<int32_t>(tensors_.size() - 1);
  }
  std::span<const Tensor> tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

// The index of the region's input for the tensor.
int32_t input_for(const FunctionState& region, const Tensor& tensor) {
  const auto found = std::ranges::find(region.captures, tensor.id(), &Tensor::id);
  if (found == region.captures.end()) return kNoIndex;
  return static_cast<int32_t>(region.graph.num_inputs() - region.captures.size() +
                              static_cast<size_t>(found - region.captures.begin()));
}

// The value that the region writes to the variable; kNoIndex if it does not.
ValueId written_by(const FunctionState& region, const Variable& variable) {
  for (const Write& write : region.graph.writes()) {
    if (region.variables[static_cast<size_t>(write.slot)].id() == variable.id()) return write.value;
  }
  return kNoIndex;
}

// The variables that the regions write to. Tapes watch those that they read.
std::vector<Variable> find_written(std::span<const Function> regions) {
  std::vector<Variable> written;
  for (const Function& region : regions) {
    const FunctionState& state = region.state();
    for (const Variable& variable : state.variables) {
      if (variable.trainable() && is_differentiable(variable.dtype()))
        autodiff::watch_variable(variable.id());
      const bool is_known =
          std::ranges::any_of(written, [&](const Variable& v) { return v.id() == variable.id(); });
      if (!is_known && written_by(state, variable) != kNoIndex) written.push_back(variable);
    }
  }
  return written;
}

bool has_custom_gradients(std::span<const Function> regions) {
  return std::ranges::any_of(
      regions, [](const Function& region) { return region.state().has_custom_gradients; });
}

// Sets the variables to the last outputs of the node.
void set_written(TraceState& trace, std::span<const Variable> written,
                 std::span<const Tensor> values) {
  for (size_t i = 0; i < written.size(); ++i) trace.set_current(written[i], values[i]);
}

void check_state(const Graph& body, std::span<const Tensor> state) {
  if (body.outputs().size() != state.size()) {
    throw InvalidArgumentError(cat("[while] the body gives ", body.outputs().size(),
                                   " tensors for a state of ", state.size()));
  }
  for (size_t i = 0; i < state.size(); ++i) {
    const ValueId input = body.inputs()[i];
    if (state[i].dtype() == body.dtype(input) && fits(state[i].shape(), body.shape(input)))
      continue;
    throw InvalidArgumentError(cat("[while] state ", i, " must be ", body.dtype(input),
                                   body.shape(input), ", but is ", state[i].dtype(),
                                   state[i].shape()));
  }
}

// The inputs of a loop's node and its regions: states that change, variables that the body writes,
// states that stay unchanged, and tensors that the regions use from the enclosing trace.
struct LoopInputs {
  std::vector<size_t> kept, passed;  // numbers of states
  std::vector<Variable> written;
  std::vector<Tensor> variables;  // their values before the loop
  Uses invariants;

  // All of them, in order.
  template <typename State, typename Other>
  void visit(const State& visit_state, const Other& visit_other) const {
    for (size_t i : kept) visit_state(i);
    for (const Tensor& tensor : variables) visit_other(tensor);
    for (size_t i : passed) visit_state(i);
    for (const Tensor& tensor : invariants.tensors()) visit_other(tensor);
  }
};

LoopInputs loop_inputs(TraceState& trace, std::span<const Function> regions,
                       std::vector<Variable> written) {
  const Graph& body = regions[Control::kBody].state().graph;
  LoopInputs found;
  found.written = std::move(written);
  for (size_t i = 0; i < body.outputs().size(); ++i)
    (body.outputs()[i] == body.inputs()[i] ? found.passed : found.kept).push_back(i);
  for (const Variable& variable : found.written)
    found.variables.push_back(trace.slot_of(variable).current);
  for (const Function& region : regions) {
    for (const Tensor& capture : region.state().captures) {
      if (std::ranges::find(found.variables, capture.id(), &Tensor::id) == found.variables.end())
        found.invariants.number_of(capture);
    }
  }
  return found;
}

// A region of a loop that takes all of the loop's inputs. States are typed as in the body.
std::shared_ptr<const Graph> loop_region(const FunctionState& region, const Graph& body,
                                         const LoopInputs& loop,
                                         std::span<const RegionOutput> outputs) {
  std::vector<RegionInput> inputs;
  loop.visit(
      [&](size_t i) {
        const ValueId value = body.inputs()[i];
        inputs.push_back({static_cast<int32_t>(i), body.dtype(value), body.shape(value)});
      },
      [&](const Tensor& tensor) {
        inputs.push_back({input_for(region, tensor), tensor.dtype(), tensor.shape()});
      });
  return std::make_shared<const Graph>(with_inputs(region.graph, inputs, outputs));
}

std::vector<std::shared_ptr<const Graph>> loop_regions(const FunctionState& condition,
                                                       const FunctionState& body,
                                                       const LoopInputs& loop) {
  const RegionOutput goes_on[] = {{.value = condition.graph.outputs()[0]}};
  std::vector<RegionOutput> states;
  for (size_t i : loop.kept) states.push_back({.value = body.graph.outputs()[i]});
  for (const Variable& variable : loop.written)
    states.push_back({.value = written_by(body, variable)});
  return {loop_region(condition, body.graph, loop, goes_on),
          loop_region(body, body.graph, loop, states)};
}

Tensors first_of(const Tensors& all, size_t count) {
  return Tensors(all.begin(), all.begin() + static_cast<ptrdiff_t>(count));
}

TraceState& open_trace(std::string_view what) {
  if (t_trace == nullptr)
    throw InvalidArgumentError(cat("[", what, "] regions belong to a function being traced"));
  return *t_trace;
}

}  // namespace
}  // namespace exec

using exec::FunctionState;

void note_custom_gradients(const Function& region) { region.state().has_custom_gradients = true; }

Tensors add_branch(const Tensor& index, std::span<const Function> regions) {
  return with_memory_errors("cond", [&] {
    exec::TraceState& trace = exec::open_trace("cond");
    exec::Uses uses;
    for (const Function& region : regions) {
      for (const Tensor& capture : region.state().captures) uses.number_of(capture);
    }
    const std::vector<Variable> written = exec::find_written(regions);
    std::vector<int32_t> current;  // of the variables, before
    for (const Variable& variable : written)
      current.push_back(uses.number_of(trace.slot_of(variable).current));
    auto control = std::make_shared<Control>();
    control->kind = Control::Kind::kBranch;
    control->has_custom_gradients = exec::has_custom_gradients(regions);
    for (const Function& function : regions) {
      const FunctionState& region = function.state();
      std::vector<RegionInput> inputs;
      for (const Tensor& tensor : uses.tensors())
        inputs.push_back({exec::input_for(region, tensor), tensor.dtype(), tensor.shape()});
      std::vector<RegionOutput> outputs;
      for (ValueId output : region.graph.outputs()) outputs.push_back({.value = output});
      for (size_t i = 0; i < written.size(); ++i) {
        const ValueId value = exec::written_by(region, written[i]);
        outputs.push_back(value != kNoIndex ? RegionOutput{.value = value}
                                            : RegionOutput{.input = current[i]});
      }
      control->regions.push_back(
          std::make_shared<const Graph>(with_inputs(region.graph, inputs, outputs)));
    }
    std::vector<Tensor> inputs = {index};
    inputs.insert(inputs.end(), uses.tensors().begin(), uses.tensors().end());
    const Tensors outputs = exec::add_control(trace, control, inputs, exec::interpret_region);
    const size_t own = outputs.size() - written.size();
    exec::set_written(trace, written, std::span(outputs).subspan(own));
    return exec::first_of(outputs, own);
  });
}

Tensors add_loop(const Function& condition, const Function& body, std::span<const Tensor> state,
                 const LoopOptions& options) {
  return with_memory_errors("while", [&] {
    exec::TraceState& trace = exec::open_trace("while");
    const Function regions[] = {condition, body};
    std::vector<Variable> written = exec::find_written(regions);
    if (!condition.state().graph.writes().empty())
      throw UnimplementedError("[while] a condition that assigns to a variable");
    exec::check_state(body.state().graph, state);
    const exec::LoopInputs inputs = exec::loop_inputs(trace, regions, std::move(written));
    const size_t num_kept = inputs.kept.size();
    auto control = std::make_shared<Control>();
    control->kind = Control::Kind::kLoop;
    control->has_custom_gradients = exec::has_custom_gradients(regions);
    control->num_states = static_cast<int32_t>(num_kept + inputs.variables.size());
    control->loop = new_id();
    control->numbers = all_states(*control);
    control->checkpoints = options.checkpoints;
    control->swaps = options.swap_memory;
    control->regions = exec::loop_regions(condition.state(), body.state(), inputs);
    std::vector<Tensor> arguments;
    inputs.visit([&](size_t i) { arguments.push_back(state[i]); },
                 [&](const Tensor& tensor) { arguments.push_back(tensor); });
    const Tensors outputs = exec::add_control(trace, control, arguments, exec::interpret_region);
    exec::set_written(trace, inputs.written, std::span(outputs).subspan(num_kept));
    std::vector<Tensor> results(state.begin(), state.end());
    for (size_t k = 0; k < num_kept; ++k) results[inputs.kept[k]] = outputs[k];
    return Tensors(results.begin(), results.end());
  });
}

Tensors cond(const Tensor& pred, const BranchFn& true_fn, const BranchFn& false_fn) {
  if (!pred.is_symbolic()) return pred.item<bool>() ? true_fn() : false_fn();
  std::vector<Function> regions;
  for (const BranchFn* branch : {&false_fn, &true_fn}) {
    Trace trace("cond", Trace::Kind::kRegion);
    const Tensors outputs = (*branch)();
    regions.push_back(trace.finish(outputs));
  }
  return add_branch(cast(pred, DType::kInt32), regions);
}

Tensors while_loop(const ConditionFn& condition, const BodyFn& body, std::span<const Tensor> state,
                   const LoopOptions& options) {
  std::vector<Tensor> now(state.begin(), state.end());
  if (!Trace::is_open()) {
    while (condition(now).item<bool>()) {
      Tensors next = body(now);
      now.assign(next.begin(), next.end());
    }
    return Tensors(now.begin(), now.end());
  }
  const auto trace_region = [&](std::string_view name, const auto& function) {
    Trace trace(name, Trace::Kind::kRegion);
    std::vector<Tensor> inputs;
    for (const Tensor& tensor : now) inputs.push_back(trace.input(tensor.dtype(), tensor.shape()));
    const Tensors outputs{function(inputs)};
    return trace.finish(outputs);
  };
  const Function goes_on = trace_region("while_cond", condition);
  return add_loop(goes_on, trace_region("while_body", body), now, options);
}

}  // namespace penstock
