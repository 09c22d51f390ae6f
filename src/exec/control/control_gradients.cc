#include "exec/control/control_gradients.h"

#include <algorithm>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/exec/control.h>
#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/recording.h"
#include "exec/control/control_nodes.h"
#include "exec/op_call.h"
#include "exec/trace/deferred_gradients.h"
#include "exec/trace/function_state.h"
#include "graph/passes/count_trips.h"

namespace penstock::exec {
namespace {

using Kind = Control::Kind;
using Numbers = std::vector<int32_t>;

std::vector<Tensor> add_inputs(Trace& trace, const Graph& graph, std::span<const ValueId> values) {
  std::vector<Tensor> inputs;
  for (ValueId value : values)
    inputs.push_back(trace.input(graph.dtype(value), graph.shape(value)));
  return inputs;
}

std::shared_ptr<const Graph> finished(Trace& trace, std::span<const Tensor> outputs) {
  return std::make_shared<const Graph>(std::move(trace.finish(outputs).state().graph));
}

std::vector<Tensor> picked(std::span<const Tensor> tensors, const Numbers& numbers) {
  std::vector<Tensor> result;
  for (int32_t number : numbers) result.push_back(tensors[static_cast<size_t>(number)]);
  return result;
}

// The gradients at some inputs of a region, given the gradients `dys` at the outputs `targets`.
std::vector<Gradient> region_gradients(const Graph& region, std::span<const Tensor> inputs,
                                       const Numbers& wanted, const Numbers& targets,
                                       std::span<const Tensor> dys, RegionFn call_region) {
  Tape tape(Tape::Options{.watch_variables = false});
  std::vector<Source> sources;
  for (int32_t number : wanted) {
    tape.watch(inputs[static_cast<size_t>(number)]);
    sources.emplace_back(inputs[static_cast<size_t>(number)]);
  }
  const std::vector<Tensor> outputs = picked(call_region(region, inputs, nullptr), targets);
  return tape.gradient(outputs, sources, dys);
}

Tensor dense_or_zeros(const Gradient& gradient, const Tensor& like) {
  return gradient.defined() ? gradient.dense() : zeros(like.dtype(), like.shape());
}

// The sum plus one more term, which may be sparse.
Tensor added(const Tensor& sum, const Gradient& gradient) {
  if (!gradient.defined()) return sum;
  if (!gradient.is_sparse()) return add(sum, gradient.dense());
  const Tensor& indices = gradient.indices();
  return tensor_scatter_add(sum, expand_dims(indices, -1), gradient.values());
}

// The gradient of each branch, as a branch over the inputs and the gradients at the outputs
// `targets`.
std::shared_ptr<const Control> branch_gradient(const Control& control, const Numbers& wanted,
                                               const Numbers& targets, RegionFn call_region) {
  auto gradient = std::make_shared<Control>();
  gradient->kind = Kind::kBranch;
  for (const auto& region : control.regions) {
    Trace trace("cond_gradient", Trace::Kind::kRegion);
    const std::vector<Tensor> inputs = add_inputs(trace, *region, region->inputs());
    std::vector<ValueId> at;
    for (int32_t target : targets) at.push_back(region->outputs()[static_cast<size_t>(target)]);
    const std::vector<Tensor> dys = add_inputs(trace, *region, at);
    const std::vector<Gradient> gradients =
        region_gradients(*region, inputs, wanted, targets, dys, call_region);
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < wanted.size(); ++i)
      outputs.push_back(dense_or_zeros(gradients[i], inputs[static_cast<size_t>(wanted[i])]));
    gradient->regions.push_back(finished(trace, outputs));
  }
  return gradient;
}

// The values that depend on the marked inputs through differentiable ops.
std::vector<bool> reached(const Graph& graph, const std::vector<bool>& inputs) {
  std::vector<bool> reached_values(graph.num_values());
  for (size_t i = 0; i < inputs.size(); ++i)
    reached_values[static_cast<size_t>(graph.inputs()[i])] = inputs[i];
  for (const Node& node : graph.nodes()) {
    const bool leads = std::ranges::any_of(graph.inputs(node), [&](ValueId input) {
      return reached_values[static_cast<size_t>(input)];
    });
    for (ValueId k = node.first_output; leads && k < node.first_output + node.num_outputs; ++k)
      reached_values[static_cast<size_t>(k)] = is_differentiable(graph.dtype(k));
  }
  return reached_values;
}

// A loop's inputs that need gradients: also the states that depend on one of them.
std::shared_ptr<const Control> loop_gradient(const Control& control, std::vector<bool> wanted,
                                             RegionFn call_region) {
  const Graph& body = control.region(Control::kBody);
  const auto count = static_cast<size_t>(control.num_states);
  for (bool grows = true; grows;) {
    grows = false;
    const std::vector<bool> after = reached(body, wanted);
    for (size_t i = 0; i < count; ++i) {
      if (wanted[i] || !after[static_cast<size_t>(body.outputs()[i])]) continue;
      wanted[i] = grows = true;
    }
  }
  auto gradient = std::make_shared<Control>(control);
  gradient->kind = Kind::kLoopGradient;
  Numbers all;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    all.push_back(static_cast<int32_t>(i));
    (i < count ? gradient->states : gradient->invariants).push_back(static_cast<int32_t>(i));
  }
  Trace trace("while_gradient", Trace::Kind::kRegion);
  const std::vector<Tensor> inputs = add_inputs(trace, body, body.inputs());
  std::vector<Tensor> dys, sums, outputs;
  for (int32_t i : gradient->states) {
    const Tensor& like = inputs[static_cast<size_t>(i)];
    dys.push_back(trace.input(like.dtype(), like.shape()));
  }
  for (int32_t i : gradient->invariants) {
    const Tensor& like = inputs[static_cast<size_t>(i)];
    sums.push_back(trace.input(like.dtype(), like.shape()));
  }
  const std::vector<Gradient> gradients =
      region_gradients(body, inputs, all, gradient->states, dys, call_region);
  for (size_t i = 0; i < gradient->states.size(); ++i)
    outputs.push_back(dense_or_zeros(gradients[i], dys[i]));
  for (size_t i = 0; i < sums.size(); ++i)
    outputs.push_back(added(sums[i], gradients[gradient->states.size() + i]));
  gradient->regions.push_back(finished(trace, outputs));
  for (int32_t& number : gradient->invariants) number -= control.num_states;
  return gradient;
}

std::span<const Tensor> invariants_of(const Control& control, std::span<const Tensor> inputs) {
  const auto num_states = static_cast<size_t>(control.num_states);
  return inputs.subspan(num_states, control.region(Control::kBody).num_inputs() - num_states);
}

// The states before each step of a loop, stacked over all steps.
std::vector<Tensor> states_before_steps(const Control& control, int32_t trips,
                                        std::span<const Tensor> inputs, RegionFn call_region) {
  const auto num_states = static_cast<size_t>(control.num_states);
  const std::span<const Tensor> invariants = invariants_of(control, inputs);
  std::vector<Tensor> state = {Tensor(int32_t{0})};
  for (const Tensor& tensor : inputs.first(num_states)) state.push_back(tensor);
  for (const Tensor& tensor : inputs.first(num_states)) {
    std::vector<int64_t> all = {trips};
    all.insert(all.end(), tensor.shape().begin(), tensor.shape().end());
    state.push_back(zeros(tensor.dtype(), Shape(std::span<const int64_t>(all))));
  }
  const Tensors last =
      while_loop([&](std::span<const Tensor> now) { return less(now[0], Tensor(trips)); },
                 [&](std::span<const Tensor> now) {
                   const std::span<const Tensor> own = now.subspan(1, num_states);
                   std::vector<Tensor> all(own.begin(), own.end());
                   all.insert(all.end(), invariants.begin(), invariants.end());
                   const std::vector<Tensor> outputs =
                       call_region(control.region(Control::kBody), all, nullptr);
                   Tensors next = {add(now[0], Tensor(int32_t{1}))};
                   for (const Tensor& tensor : outputs) next.push_back(tensor);
                   const Tensor row = reshape(now[0], Tensor{int32_t{1}, int32_t{1}});
                   for (size_t i = 0; i < num_states; ++i) {
                     next.push_back(tensor_scatter_update(now[1 + num_states + i], row,
                                                          expand_dims(own[i], 0)));
                   }
                   return next;
                 },
                 state);
  return {last.begin() + 1 + static_cast<ptrdiff_t>(num_states), last.end()};
}

// A loop gradient as two loops that keep every state: slower and larger, but made of differentiable
// nodes.
std::vector<Tensor> as_loops(const Control& control, int32_t trips, std::span<const Tensor> inputs,
                             RegionFn call_region) {
  const std::span<const Tensor> invariants = invariants_of(control, inputs);
  const std::vector<Tensor> kept = states_before_steps(control, trips, inputs, call_region);
  std::vector<Tensor> state = {Tensor(trips - 1)};
  for (const Tensor& dy : inputs.subspan(control.region(Control::kBody).num_inputs()))
    state.push_back(dy);
  for (int32_t i : control.invariants) {
    const Tensor& like = invariants[static_cast<size_t>(i)];
    state.push_back(zeros(like.dtype(), like.shape()));
  }
  const Tensors last = while_loop(
      [&](std::span<const Tensor> now) { return less_equal(Tensor(int32_t{0}), now[0]); },
      [&](std::span<const Tensor> now) {
        std::vector<Tensor> all;
        for (const Tensor& states : kept) all.push_back(gather(states, now[0]));
        all.insert(all.end(), invariants.begin(), invariants.end());
        all.insert(all.end(), now.begin() + 1, now.end());
        Tensors next = {subtract(now[0], Tensor(int32_t{1}))};
        for (const Tensor& tensor : call_region(control.region(Control::kBackward), all, nullptr))
          next.push_back(tensor);
        return next;
      },
      state);
  return {last.begin() + 1, last.end()};
}

// The gradients of a loop gradient's outputs at its inputs `wanted`.
std::vector<Gradient> second_order(const Control& control, int64_t trips,
                                   std::span<const Tensor> arguments, const Numbers& wanted,
                                   std::span<const Tensor> dys, RegionFn call_region) {
  if (trips < 0 || trips > INT32_MAX) {
    throw UnimplementedError(
        "[while] a gradient of the gradient of a loop inside a function, where the number of its "
        "steps is not known while the function is traced: run it eagerly");
  }
  std::vector<Tensor> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(identity(argument));
  Tape tape(Tape::Options{.watch_variables = false});
  std::vector<Source> sources;
  for (int32_t number : wanted) {
    tape.watch(inputs[static_cast<size_t>(number)]);
    sources.emplace_back(inputs[static_cast<size_t>(number)]);
  }
  const std::vector<Tensor> outputs =
      as_loops(control, static_cast<int32_t>(trips), inputs, call_region);
  return tape.gradient(outputs, sources, dys, Unconnected::kZero);
}

// The request for a control node's gradient: its differentiable inputs, and the outputs at which
// gradients arrive.
struct Differentiable {
  std::vector<bool> is_wanted;  // of the regions' inputs
  Numbers wanted, targets;      // indices of these inputs, and of outputs
  std::vector<Tensor> from, to;
};

Differentiable differentiable_parts(std::span<const Tensor> inputs, size_t first,
                                    std::span<const Tensor> outputs) {
  Differentiable parts;
  for (size_t i = first; i < inputs.size(); ++i) {
    const Tensor* input = &inputs[i];
    parts.is_wanted.push_back(is_differentiable(input->dtype()) &&
                              autodiff::knows_any({&input, 1}));
    if (!parts.is_wanted.back()) continue;
    parts.wanted.push_back(static_cast<int32_t>(i - first));
    parts.from.push_back(*input);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_differentiable(outputs[i].dtype())) continue;
    parts.targets.push_back(static_cast<int32_t>(i));
    parts.to.push_back(outputs[i]);
  }
  return parts;
}

// Adds the gradient of a branch to the trace, given the gradients `dys`.
std::vector<Gradient> add_branch_gradient(const Control& control, std::span<const Tensor> arguments,
                                          const Differentiable& parts, std::span<const Tensor> dys,
                                          RegionFn call_region) {
  std::vector<Tensor> all(arguments.begin(), arguments.end());
  all.insert(all.end(), dys.begin(), dys.end());
  const Tensors gradients =
      add_control(*t_trace, branch_gradient(control, parts.wanted, parts.targets, call_region), all,
                  call_region);
  return {gradients.begin(), gradients.end()};
}

// The same for a loop.
std::vector<Gradient> add_loop_gradient(const Control& control, std::span<const Tensor> arguments,
                                        const Differentiable& parts, std::span<const Tensor> dys,
                                        RegionFn call_region) {
  const std::shared_ptr<const Control> backward =
      loop_gradient(control, parts.is_wanted, call_region);
  std::vector<Tensor> all(arguments.begin(), arguments.end());
  for (int32_t state : backward->states) {
    const auto at = std::ranges::find(parts.targets, state) - parts.targets.begin();
    all.push_back(dys[static_cast<size_t>(at)]);
  }
  const Tensors outputs = add_control(*t_trace, backward, all, call_region);
  std::vector<Gradient> gradients;
  for (int32_t number : parts.wanted) {
    const bool is_state = number < control.num_states;
    const auto& among = is_state ? backward->states : backward->invariants;
    const int32_t own = is_state ? number : number - control.num_states;
    const auto at = static_cast<size_t>(std::ranges::find(among, own) - among.begin());
    gradients.emplace_back(outputs[at + (is_state ? 0 : backward->states.size())]);
  }
  return gradients;
}

// Records the gradient of a control node with known shapes on tapes.
void record_control(const std::shared_ptr<const Control>& control, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs, RegionFn call_region) {
  if (!autodiff::is_recording()) return;
  const Differentiable parts =
      differentiable_parts(inputs, control->kind == Kind::kBranch ? 1 : 0, outputs);
  if (parts.from.empty() || parts.to.empty()) return;
  const std::vector<Tensor> arguments(inputs.begin(), inputs.end());
  if (control->kind == Kind::kLoopGradient) {
    const Graph& graph = t_trace->graph;
    const int64_t trips = trip_count(graph, graph.node(graph.node_of(outputs[0].value())));
    record_custom(parts.from, parts.to,
                  [control, trips, arguments, wanted = parts.wanted,
                   call_region](std::span<const Tensor> dys) {
                    return second_order(*control, trips, arguments, wanted, dys, call_region);
                  });
    return;
  }
  const auto add_gradient =
      control->kind == Kind::kBranch ? add_branch_gradient : add_loop_gradient;
  record_custom(parts.from, parts.to,
                [control, arguments, is_wanted = parts.is_wanted, wanted = parts.wanted,
                 targets = parts.targets, add_gradient, call_region](std::span<const Tensor> dys) {
                  return add_gradient(*control, arguments, {is_wanted, wanted, targets, {}, {}},
                                      dys, call_region);
                });
}

// Whether its gradient can be computed now. A random op would draw other numbers when called again.
bool has_gradient(const Control& control, std::span<const Tensor> inputs) {
  return std::ranges::all_of(control.regions,
                             [](const auto& region) { return is_closed(*region); }) &&
         !is_stateful(control) &&
         std::ranges::all_of(inputs, [](const Tensor& t) { return t.shape().is_known(); });
}

}  // namespace

Tensors add_control(TraceState& trace, const std::shared_ptr<const Control>& control,
                    std::span<const Tensor> inputs, RegionFn call_region) {
  SmallVector<ValueId, 8> values;
  for (const Tensor& input : inputs) values.push_back(trace.value_of(input));
  const NodeId id = trace.graph.add_control(control, values, outputs_of(*control), trace.here());
  trace.added(id);
  const Tensors outputs = trace.symbols(id);
  for (const Tensor& output : outputs) trace.add_open(output.value());
  if (control->has_custom_gradients) {
    // Tapes do not see the calls in regions.
    record_custom(inputs, outputs, [](std::span<const Tensor>) -> std::vector<Gradient> {
      throw UnimplementedError(
          "[custom_gradient] inside a branch or a loop of a function: its gradient can be had "
          "outside of tf.function, or with the tape around the call of the function");
    });
  } else if (trace.open_shapes == nullptr && !trace.keeps_all && has_gradient(*control, inputs)) {
    record_control(control, inputs, outputs, call_region);
  } else {
    // Its gradient is known only when it runs.
    if (trace.open_shapes == nullptr && !trace.is_probe && autodiff::is_recording()) trace.open();
    record_as_unknown(pointers_to(inputs), outputs);
  }
  return outputs;
}

}  // namespace penstock::exec
