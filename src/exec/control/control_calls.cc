#include "exec/control/control_calls.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/trace.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/recording.h"
#include "exec/control/control_gradients.h"
#include "exec/control/control_nodes.h"
#include "exec/control/failing_region.h"
#include "exec/interrupts.h"
#include "exec/op_call.h"
#include "exec/trace/function_state.h"
#include "exec/trace/trace_state.h"
#include "graph/extract.h"

namespace penstock::exec {
namespace {

using Kind = Control::Kind;
using Inputs = std::span<const Tensor* const>;

// The number of a control's inputs that its regions do not take.
size_t num_leading(const Control& control) { return control.kind == Kind::kBranch ? 1 : 0; }

// The region retraced for inputs of other shapes.
std::shared_ptr<const Graph> retraced(const Graph& region, std::span<const Shape> shapes,
                                      StateMap* states) {
  Trace trace("region", Trace::Kind::kRegion);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(trace.input(region.dtype(region.inputs()[i]), shapes[i]));
  const Function function = trace.finish(interpret_region(region, inputs, states));
  return std::make_shared<const Graph>(std::move(function.state().graph));
}

// A retraced region, or the reason why it cannot be retraced.
struct Retraced {
  std::shared_ptr<const Graph> region;
  std::exception_ptr problem;
};

Retraced try_retrace(const Graph& region, std::span<const Shape> shapes, StateMap* states) {
  try {
    return {retraced(region, shapes, states), nullptr};
  } catch (const InvalidArgumentError&) {
    return {nullptr, std::current_exception()};
  }
}

// Replaces a region that is invalid for these shapes: it may never be taken.
std::shared_ptr<const Graph> failing(const std::shared_ptr<const Graph>& region,
                                     std::span<const Shape> shapes,
                                     std::span<const OutputSpec> outputs,
                                     const std::exception_ptr& problem) {
  // A region with a host call or an output of unknown size is called op by op, up to the error.
  const bool is_sized =
      std::ranges::all_of(outputs, [](const OutputSpec& spec) { return spec.shape.is_known(); });
  if (region->has_calls() || !is_sized) return region;
  try {
    std::rethrow_exception(problem);
  } catch (const InvalidArgumentError& error) {
    if (shapes.empty()) throw;
    return std::make_shared<const Graph>(failing_region(*region, shapes, outputs, error.what()));
  }
}

// The common outputs of regions, as far as they agree.
std::vector<OutputSpec> common_outputs(std::span<const std::shared_ptr<const Graph>> regions) {
  std::vector<OutputSpec> specs;
  for (const auto& region : regions) {
    const std::span<const ValueId> outputs = region->outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const OutputSpec spec{region->dtype(outputs[i]), region->shape(outputs[i])};
      if (i == specs.size()) specs.push_back(spec);
      specs[i].shape = common_shape(specs[i].shape, spec.shape);
    }
  }
  return specs;
}

// The regions of a branch for inputs of these shapes.
std::vector<std::shared_ptr<const Graph>> branches_at(const Control& control,
                                                      std::span<const Shape> shapes,
                                                      StateMap* states) {
  std::vector<Retraced> branches;
  std::vector<std::shared_ptr<const Graph>> working, regions;
  for (const auto& region : control.regions) {
    branches.push_back(try_retrace(*region, shapes, states));
    if (branches.back().region != nullptr) working.push_back(branches.back().region);
  }
  const std::vector<OutputSpec> outputs =
      common_outputs(working.empty() ? control.regions : working);
  for (size_t r = 0; r < branches.size(); ++r) {
    regions.push_back(branches[r].region != nullptr
                          ? branches[r].region
                          : failing(control.regions[r], shapes, outputs, branches[r].problem));
  }
  return regions;
}

// The condition and the body of a loop for inputs of these shapes.
std::vector<std::shared_ptr<const Graph>> loop_at(const Control& control,
                                                  std::span<const Shape> shapes, StateMap* states) {
  // States whose size changes in a step are left as open as necessary.
  std::vector<Shape> known(shapes.begin(), shapes.end());
  for (;;) {
    const Retraced body = try_retrace(control.region(Control::kBody), known, states);
    if (body.region == nullptr) {
      std::vector<OutputSpec> specs;
      const Graph& before = control.region(Control::kBody);
      for (size_t i = 0; i < static_cast<size_t>(control.num_states); ++i)
        specs.push_back({before.dtype(before.inputs()[i]), known[i]});
      return {retraced(control.region(Control::kCondition), known, states),
              failing(control.regions[Control::kBody], known, specs, body.problem)};
    }
    bool fits_all = true;
    for (size_t i = 0; i < static_cast<size_t>(control.num_states); ++i) {
      const Shape& after = body.region->shape(body.region->outputs()[i]);
      if (fits(after, known[i]) && (after.is_known() || !known[i].is_known())) continue;
      fits_all = false;
      known[i] = common_shape(after, known[i]);
    }
    if (fits_all)
      return {retraced(control.region(Control::kCondition), known, states), body.region};
  }
}

// `control` for inputs of these shapes.
std::shared_ptr<const Control> at_shapes(const std::shared_ptr<const Control>& control,
                                         std::span<const Shape> shapes, StateMap* states) {
  const auto has_shapes = [&](const Graph& region) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (region.shape(region.inputs()[i]) != shapes[i]) return false;
    }
    return true;
  };
  // An open region may come from a trace that knows less than this one.
  const bool is_same =
      states == nullptr && std::ranges::all_of(control->regions, [&](const auto& region) {
        return has_shapes(*region) && is_closed(*region);
      });
  if (is_same || control->kind == Kind::kLoopGradient) return control;
  auto result = std::make_shared<Control>(*control);
  result->regions = control->kind == Kind::kBranch ? branches_at(*control, shapes, states)
                                                   : loop_at(*control, shapes, states);
  return result;
}

// A control called outside plans: its regions, and the whole control, as functions. The whole takes
// inputs of any shape and is retraced for each.
struct Functions {
  std::vector<Function> regions;
  Function whole;
};

Function whole_function(const Control& control) {
  Graph graph;
  std::vector<ValueId> inputs;
  const auto add = [&](DType dtype) {
    inputs.push_back(graph.add_input(dtype, Shape::unknown_rank()));
  };
  if (control.kind == Kind::kBranch) add(DType::kInt32);
  const Graph& taking =
      control.region(control.kind == Kind::kBranch ? size_t{0} : size_t{Control::kBody});
  for (ValueId input : taking.inputs()) add(taking.dtype(input));
  for (int32_t state : control.states)
    add(taking.dtype(taking.inputs()[static_cast<size_t>(state)]));
  // A copy, so that the cached functions do not hold the control itself.
  const Node& node = graph.node(
      graph.add_control(std::make_shared<Control>(control), inputs, outputs_of(control)));
  std::vector<ValueId> outputs;
  for (ValueId k = 0; k < node.num_outputs; ++k) outputs.push_back(node.first_output + k);
  graph.set_outputs(outputs);
  return make_function(name_of(control.kind), std::move(graph), {});
}

Functions& functions_of(const Control& control) {
  const std::lock_guard lock(control.prepared.mutex);
  if (control.prepared.made == nullptr) {
    auto functions = std::make_shared<Functions>();
    for (const auto& region : control.regions) {
      functions->regions.push_back(
          make_function(name_of(control.kind),
                        extract(*region, region->inputs(), region->outputs(), {}, true), {}));
    }
    functions->whole = whole_function(control);
    control.prepared.made = std::move(functions);
  }
  return *static_cast<Functions*>(control.prepared.made.get());
}

// A region called by itself. One whose shapes are not known is called op by op: the next call may
// have others.
Tensors call_region(const Control& control, size_t i, Inputs inputs, StateMap* states) {
  if (states == nullptr) {
    const Function& function = functions_of(control).regions[i];
    if (function.has_known_inputs()) return function(inputs);
  }
  const std::vector<Tensor> outputs =
      interpret_region(control.region(i), tensors_at(inputs), states);
  return Tensors(outputs.begin(), outputs.end());
}

Tensors run_branch(const Control& control, Inputs inputs, StateMap* states) {
  const auto index = static_cast<size_t>(inputs[0]->item<int32_t>());
  return call_region(control, std::min(index, control.regions.size() - 1), inputs.subspan(1),
                     states);
}

Tensors run_loop(const Control& control, Inputs inputs, StateMap* states) {
  const auto count = static_cast<size_t>(control.num_states);
  std::vector<Tensor> state = tensors_at(inputs.first(count));
  std::vector<const Tensor*> arguments(inputs.begin(), inputs.end());
  Interrupts interrupts;
  for (;;) {
    for (size_t i = 0; i < count; ++i) arguments[i] = &state[i];
    if (!call_region(control, Control::kCondition, arguments, states)[0].item<bool>()) break;
    Tensors next = call_region(control, Control::kBody, arguments, states);
    state.assign(next.begin(), next.end());
    interrupts.step();
  }
  return Tensors(state.begin(), state.end());
}

// Runs the steps of a loop backwards, with every state kept: tapes follow each step.
Tensors run_gradient(const Control& control, Inputs inputs) {
  const Graph& body = control.region(Control::kBody);
  const auto count = static_cast<size_t>(control.num_states);
  std::vector<Tensor> state = tensors_at(inputs.first(body.num_inputs()));
  std::vector<std::vector<Tensor>> before;
  while (interpret_region(control.region(Control::kCondition), state)[0].item<bool>()) {
    before.push_back(state);
    const std::vector<Tensor> next = interpret_region(body, state);
    std::copy_n(next.begin(), count, state.begin());
  }
  std::vector<Tensor> gradients = tensors_at(inputs.subspan(body.num_inputs()));
  for (int32_t i : control.invariants)
    gradients.push_back(zeros_like(state[count + static_cast<size_t>(i)]));
  for (; !before.empty(); before.pop_back()) {
    std::vector<Tensor> all = std::move(before.back());
    all.insert(all.end(), gradients.begin(), gradients.end());
    gradients = interpret_region(control.region(Control::kBackward), all);
  }
  return Tensors(gradients.begin(), gradients.end());
}

Tensors run_one_by_one(const Control& control, Inputs inputs, StateMap* states) {
  switch (control.kind) {
    case Kind::kBranch:
      return run_branch(control, inputs, states);
    case Kind::kLoop:
      return run_loop(control, inputs, states);
    case Kind::kLoopGradient:
      break;
  }
  return run_gradient(control, inputs);
}

}  // namespace

std::vector<Tensor> interpret_region(const Graph& region, std::span<const Tensor> inputs,
                                     StateMap* states) {
  const TensorPointers pointers = pointers_to(inputs);
  Interpreter interpreter(region, pointers, {}, needed_nodes(region, region.outputs(), true),
                          call_control, states);
  for (ValueId output : region.outputs()) interpreter.keep(output);
  interpreter.run();
  std::vector<Tensor> outputs;
  for (ValueId output : region.outputs()) outputs.push_back(interpreter.value(output));
  return outputs;
}

Tensors call_control(const std::shared_ptr<const Control>& control,
                     std::span<const Tensor* const> inputs, LoopNumbers& loops, StateMap* states) {
  if (states != nullptr && !is_stateful(*control)) states = nullptr;
  if (t_trace == nullptr) {
    // Second gradients, and gradients through random draws, must follow the individual calls.
    const bool is_followed = autodiff::is_recording() && autodiff::knows_any(inputs) &&
                             (autodiff::may_record_gradients() || is_stateful(*control));
    if (is_followed || states != nullptr) return run_one_by_one(*control, inputs, states);
    std::vector<Shape> shapes;
    for (const Tensor* input : inputs) shapes.push_back(input->shape());
    const Function whole = functions_of(*control).whole.at(shapes);
    return whole.is_planned() ? whole(inputs) : run_one_by_one(*control, inputs, states);
  }
  const std::vector<Tensor> tensors = tensors_at(inputs);
  std::vector<Shape> shapes;
  for (size_t i = num_leading(*control); i < tensors.size(); ++i)
    shapes.push_back(tensors[i].shape());
  auto own = std::make_shared<Control>(*at_shapes(control, shapes, states));
  // A loop that is called again gets a new number; its gradient stays with it.
  uint64_t& number = loops[control->loop];
  if (control->kind == Kind::kLoop || number == 0) number = new_id();
  own->loop = number;
  return add_control(*t_trace, own, tensors, interpret_region);
}

}  // namespace penstock::exec
