// The gradients of branches and loops, as nodes of the same kind.
#include <algorithm>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/exec/function.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/recording.h"
#include "exec/function_state.h"
#include "exec/regions.h"
#include "exec/trace_state.h"

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
  std::vector<Tensor> found;
  for (int32_t number : numbers) found.push_back(tensors[static_cast<size_t>(number)]);
  return found;
}

// The gradients at some inputs of a region, of the outputs `targets` that `dys` arrive at.
std::vector<Gradient> region_gradients(const Graph& region, std::span<const Tensor> inputs,
                                       const Numbers& wanted, const Numbers& targets,
                                       std::span<const Tensor> dys) {
  Tape tape(Tape::Options{.watch_variables = false});
  std::vector<Source> sources;
  for (int32_t number : wanted) {
    tape.watch(inputs[static_cast<size_t>(number)]);
    sources.emplace_back(inputs[static_cast<size_t>(number)]);
  }
  const std::vector<Tensor> outputs = picked(replay_region(region, inputs), targets);
  return tape.gradient(outputs, sources, dys);
}

Tensor dense_or_zeros(const Gradient& gradient, const Tensor& like) {
  return gradient.defined() ? gradient.dense() : zeros(like.dtype(), like.shape());
}

// A sum with one more term: of few rows where only these have a gradient.
Tensor added(const Tensor& sum, const Gradient& gradient) {
  if (!gradient.defined()) return sum;
  if (!gradient.is_sparse()) return add(sum, gradient.dense());
  const Tensor& indices = gradient.indices();
  return tensor_scatter_add(sum, expand_dims(indices, -1), gradient.values());
}

// Branch by branch, of the inputs and of what arrives at the outputs `targets`.
std::shared_ptr<const Control> branch_gradient(const Control& control, const Numbers& wanted,
                                               const Numbers& targets) {
  auto made = std::make_shared<Control>();
  made->kind = Kind::kBranch;
  for (const auto& region : control.regions) {
    Trace trace("cond_gradient", Trace::Kind::kRegion);
    const std::vector<Tensor> inputs = add_inputs(trace, *region, region->inputs());
    std::vector<ValueId> at;
    for (int32_t target : targets) at.push_back(region->outputs()[static_cast<size_t>(target)]);
    const std::vector<Tensor> dys = add_inputs(trace, *region, at);
    const std::vector<Gradient> found = region_gradients(*region, inputs, wanted, targets, dys);
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < wanted.size(); ++i)
      outputs.push_back(dense_or_zeros(found[i], inputs[static_cast<size_t>(wanted[i])]));
    made->regions.push_back(finished(trace, outputs));
  }
  return made;
}

// Which values depend on the inputs that are marked, by way of what has gradients.
std::vector<bool> reached(const Graph& graph, const std::vector<bool>& inputs) {
  std::vector<bool> found(graph.num_values());
  for (size_t i = 0; i < inputs.size(); ++i)
    found[static_cast<size_t>(graph.inputs()[i])] = inputs[i];
  for (const Node& node : graph.nodes()) {
    const bool leads = std::ranges::any_of(
        graph.inputs(node), [&](ValueId input) { return found[static_cast<size_t>(input)]; });
    for (ValueId k = node.first_output; leads && k < node.first_output + node.num_outputs; ++k)
      found[static_cast<size_t>(k)] = is_differentiable(graph.dtype(k));
  }
  return found;
}

// A loop's inputs that gradients are wanted for: states that depend on one of them need it too.
std::shared_ptr<const Control> loop_gradient(const Control& control, std::vector<bool> wanted) {
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
  auto made = std::make_shared<Control>(control);
  made->kind = Kind::kLoopGradient;
  Numbers all;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    all.push_back(static_cast<int32_t>(i));
    (i < count ? made->states : made->invariants).push_back(static_cast<int32_t>(i));
  }
  Trace trace("while_gradient", Trace::Kind::kRegion);
  const std::vector<Tensor> inputs = add_inputs(trace, body, body.inputs());
  std::vector<Tensor> dys, sums, outputs;
  for (int32_t i : made->states) {
    const Tensor& like = inputs[static_cast<size_t>(i)];
    dys.push_back(trace.input(like.dtype(), like.shape()));
  }
  for (int32_t i : made->invariants) {
    const Tensor& like = inputs[static_cast<size_t>(i)];
    sums.push_back(trace.input(like.dtype(), like.shape()));
  }
  const std::vector<Gradient> found = region_gradients(body, inputs, all, made->states, dys);
  for (size_t i = 0; i < made->states.size(); ++i)
    outputs.push_back(dense_or_zeros(found[i], dys[i]));
  for (size_t i = 0; i < sums.size(); ++i)
    outputs.push_back(added(sums[i], found[made->states.size() + i]));
  made->regions.push_back(finished(trace, outputs));
  for (int32_t& number : made->invariants) number -= control.num_states;
  return made;
}

[[noreturn]] std::vector<Gradient> fail_second_order(std::span<const Tensor>) {
  throw UnimplementedError(
      "[while] a gradient of the gradient of a loop inside a function: run it eagerly, or unroll "
      "the loop");
}

}  // namespace

void record_control(const std::shared_ptr<const Control>& control, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs) {
  if (!autodiff::is_recording()) return;
  const size_t first = control->kind == Kind::kBranch ? 1 : 0;
  std::vector<Tensor> given(inputs.begin(), inputs.end());
  std::vector<bool> is_wanted;
  Numbers wanted, targets;
  std::vector<Tensor> from, to;
  for (size_t i = first; i < inputs.size(); ++i) {
    const Tensor* input = &inputs[i];
    is_wanted.push_back(is_differentiable(input->dtype()) && autodiff::knows_any({&input, 1}));
    if (!is_wanted.back()) continue;
    wanted.push_back(static_cast<int32_t>(i - first));
    from.push_back(*input);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_differentiable(outputs[i].dtype())) continue;
    targets.push_back(static_cast<int32_t>(i));
    to.push_back(outputs[i]);
  }
  if (from.empty() || to.empty()) return;
  if (control->kind == Kind::kLoopGradient) return record_custom(from, to, fail_second_order);
  if (control->kind == Kind::kBranch) {
    record_custom(from, to, [control, given, wanted, targets](std::span<const Tensor> dys) {
      std::vector<Tensor> all = given;
      all.insert(all.end(), dys.begin(), dys.end());
      const Tensors found = add_control(*t_trace, branch_gradient(*control, wanted, targets), all);
      return std::vector<Gradient>(found.begin(), found.end());
    });
    return;
  }
  record_custom(
      from, to, [control, given, is_wanted, wanted, targets](std::span<const Tensor> dys) {
        const std::shared_ptr<const Control> backward = loop_gradient(*control, is_wanted);
        std::vector<Tensor> all = given;
        for (int32_t state : backward->states) {
          const auto at = std::ranges::find(targets, state) - targets.begin();
          all.push_back(dys[static_cast<size_t>(at)]);
        }
        const Tensors found = add_control(*t_trace, backward, all);
        std::vector<Gradient> gradients;
        for (int32_t number : wanted) {
          const auto& among =
              number < control->num_states ? backward->states : backward->invariants;
          const int32_t own = number < control->num_states ? number : number - control->num_states;
          const auto at = static_cast<size_t>(std::ranges::find(among, own) - among.begin()) +
                          (number < control->num_states ? 0 : backward->states.size());
          gradients.emplace_back(found[at]);
        }
        return gradients;
      });
}

}  // namespace penstock::exec
