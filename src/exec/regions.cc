#include "exec/regions.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/function.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/recording.h"
#include "exec/function_state.h"
#include "exec/interrupts.h"
#include "exec/replay.h"
#include "exec/trace_state.h"
#include "graph/extract.h"

namespace penstock::exec {
namespace {

using Kind = Control::Kind;
using Inputs = std::span<const Tensor* const>;

// How many of a control's inputs are not for its regions.
size_t num_leading(const Control& control) { return control.kind == Kind::kBranch ? 1 : 0; }

// What a control node gives.
std::vector<OutputSpec> outputs_of(const Control& control) {
  std::vector<OutputSpec> specs;
  const auto add_all = [&](const Graph& graph, std::span<const ValueId> values) {
    for (ValueId value : values) specs.push_back({graph.dtype(value), graph.shape(value)});
  };
  switch (control.kind) {
    case Kind::kBranch:
      add_all(control.region(0), control.region(0).outputs());
      for (const auto& region : control.regions) {
        if (region->outputs().size() != specs.size())
          throw InvalidArgumentError("[cond] the branches give different numbers of tensors");
        for (size_t i = 0; i < specs.size(); ++i) {
          const ValueId value = region->outputs()[i];
          if (region->dtype(value) != specs[i].dtype) {
            throw InvalidArgumentError(cat("[cond] output ", i, " is ", specs[i].dtype,
                                           " in one branch and ", region->dtype(value),
                                           " in another"));
          }
          specs[i].shape = common_shape(specs[i].shape, region->shape(value));
        }
      }
      break;
    case Kind::kLoop: {
      const Graph& body = control.region(Control::kBody);
      const auto count = static_cast<size_t>(control.num_states);
      add_all(body, body.inputs().first(count));
      for (size_t i = 0; i < count; ++i) {
        const ValueId value = body.outputs()[i];
        if (body.dtype(value) == specs[i].dtype && fits(body.shape(value), specs[i].shape))
          continue;
        throw InvalidArgumentError(cat("[while] state ", i, " is ", specs[i].dtype, specs[i].shape,
                                       " before a step and ", body.dtype(value), body.shape(value),
                                       " after it"));
      }
      break;
    }
    case Kind::kLoopGradient: {
      const Graph& backward = control.region(Control::kBackward);
      add_all(backward, backward.outputs());
      break;
    }
  }
  return specs;
}

// Whether what it gives differs from call to call.
bool draws(const Control& control) {
  return std::ranges::any_of(control.regions, [](const auto& region) {
    return std::ranges::any_of(region->nodes(),
                               [&](const Node& node) { return is_stateful(*region, node); });
  });
}

// Whether its gradient can be worked out now. What draws random numbers would draw others when it
// is called again.
bool has_gradient(const Control& control, std::span<const Tensor> inputs) {
  return std::ranges::all_of(control.regions, [](const auto& each) { return is_closed(*each); }) &&
         !draws(control) &&
         std::ranges::all_of(inputs, [](const Tensor& t) { return t.shape().is_known(); });
}

// The region worked out for inputs of other shapes.
std::shared_ptr<const Graph> retraced(const Graph& region, std::span<const Shape> shapes) {
  Trace trace("region", Trace::Kind::kRegion);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(trace.input(region.dtype(region.inputs()[i]), shapes[i]));
  const Function made = trace.finish(replay_region(region, inputs));
  return std::make_shared<const Graph>(std::move(made.state().graph));
}

// As `control`, for inputs of these shapes.
std::shared_ptr<const Control> at_shapes(const std::shared_ptr<const Control>& control,
                                         std::span<const Shape> shapes) {
  const auto has_shapes = [&](const Graph& region) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (region.shape(region.inputs()[i]) != shapes[i]) return false;
    }
    return true;
  };
  // An open region may be of a trace that knows less than this one.
  const bool is_same = std::ranges::all_of(control->regions, [&](const auto& region) {
    return has_shapes(*region) && is_closed(*region);
  });
  if (is_same || control->kind == Kind::kLoopGradient) return control;
  auto made = std::make_shared<Control>(*control);
  made->regions.clear();
  if (control->kind == Kind::kBranch) {
    for (const auto& region : control->regions) made->regions.push_back(retraced(*region, shapes));
    return made;
  }
  // States that a step gives another size are left as open as they need be.
  std::vector<Shape> known(shapes.begin(), shapes.end());
  for (;;) {
    const std::shared_ptr<const Graph> body = retraced(control->region(Control::kBody), known);
    bool fits_all = true;
    for (size_t i = 0; i < static_cast<size_t>(control->num_states); ++i) {
      const Shape& after = body->shape(body->outputs()[i]);
      if (fits(after, known[i]) && (after.is_known() || !known[i].is_known())) continue;
      fits_all = false;
      known[i] = common_shape(after, known[i]);
    }
    if (!fits_all) continue;
    made->regions = {retraced(control->region(Control::kCondition), known), body};
    return made;
  }
}

// What has been made of a control that is called outside of plans.
struct Prepared {
  std::vector<Function> regions;
  // The whole of it, for inputs of these shapes; the latest first.
  struct Whole {
    std::vector<Shape> shapes;
    Function function;
  };
  std::vector<Whole> wholes;
};
constexpr size_t kMostWholes = 8;

// Pre: the control's mutex is held.
Prepared& prepared(const Control& control) {
  if (control.prepared == nullptr) {
    auto made = std::make_shared<Prepared>();
    for (const auto& region : control.regions) {
      made->regions.push_back(
          make_function(name_of(control.kind),
                        extract(*region, region->inputs(), region->outputs(), {}, true), {}));
    }
    control.prepared = std::move(made);
  }
  return *static_cast<Prepared*>(control.prepared.get());
}

// The control as a function of its own.
Function whole_function(const std::shared_ptr<const Control>& control, Inputs inputs) {
  std::vector<Shape> shapes;
  for (const Tensor* input : inputs) shapes.push_back(input->shape());
  {
    const std::lock_guard lock(control->mutex);
    std::vector<Prepared::Whole>& wholes = prepared(*control).wholes;
    const auto found = std::ranges::find(wholes, shapes, &Prepared::Whole::shapes);
    if (found != wholes.end()) {
      std::rotate(wholes.begin(), found, found + 1);
      return wholes[0].function;
    }
  }
  Function made;
  {
    const HideTapes hide;
    Trace trace(name_of(control->kind));
    std::vector<Tensor> own;
    for (const Tensor* input : inputs) own.push_back(trace.input(input->dtype(), input->shape()));
    std::vector<const Tensor*> pointers;
    for (const Tensor& tensor : own) pointers.push_back(&tensor);
    LoopNumbers loops;
    made = trace.finish(call_control(control, pointers, loops));
  }
  const std::lock_guard lock(control->mutex);
  std::vector<Prepared::Whole>& wholes = prepared(*control).wholes;
  wholes.insert(wholes.begin(), {std::move(shapes), made});
  if (wholes.size() > kMostWholes) wholes.pop_back();
  return made;
}

// A region called by itself. One whose shapes are not known is called op by op: the next call may
// have others.
Tensors call_region(const Control& control, size_t i, Inputs inputs) {
  Function function;
  {
    const std::lock_guard lock(control.mutex);
    function = prepared(control).regions[i];
  }
  if (function.has_known_inputs()) return function(inputs);
  std::vector<Tensor> given;
  for (const Tensor* input : inputs) given.push_back(*input);
  const std::vector<Tensor> outputs = replay_region(control.region(i), given);
  return Tensors(outputs.begin(), outputs.end());
}

Tensors run_branch(const Control& control, Inputs inputs) {
  const auto index = static_cast<size_t>(inputs[0]->item<int32_t>());
  return call_region(control, std::min(index, control.regions.size() - 1), inputs.subspan(1));
}

Tensors run_loop(const Control& control, Inputs inputs) {
  const auto count = static_cast<size_t>(control.num_states);
  std::vector<Tensor> state;
  for (const Tensor* input : inputs.first(count)) state.push_back(*input);
  std::vector<const Tensor*> given(inputs.begin(), inputs.end());
  Interrupts interrupts;
  for (;;) {
    for (size_t i = 0; i < count; ++i) given[i] = &state[i];
    if (!call_region(control, Control::kCondition, given)[0].item<bool>()) break;
    Tensors next = call_region(control, Control::kBody, given);
    state.assign(next.begin(), next.end());
    interrupts.step();
  }
  return Tensors(state.begin(), state.end());
}

// The steps of a loop backwards, with every state kept: tapes follow each of them.
Tensors run_gradient(const Control& control, Inputs inputs) {
  const Graph& body = control.region(Control::kBody);
  const auto count = static_cast<size_t>(control.num_states);
  std::vector<Tensor> given;
  for (const Tensor* input : inputs.first(body.num_inputs())) given.push_back(*input);
  std::vector<std::vector<Tensor>> before;
  while (replay_region(control.region(Control::kCondition), given)[0].item<bool>()) {
    before.push_back(given);
    const std::vector<Tensor> next = replay_region(body, given);
    std::copy_n(next.begin(), count, given.begin());
  }
  std::vector<Tensor> gradients;
  for (const Tensor* dy : inputs.subspan(body.num_inputs())) gradients.push_back(*dy);
  for (int32_t i : control.invariants)
    gradients.push_back(zeros_like(given[count + static_cast<size_t>(i)]));
  for (; !before.empty(); before.pop_back()) {
    std::vector<Tensor> all = std::move(before.back());
    all.insert(all.end(), gradients.begin(), gradients.end());
    gradients = replay_region(control.region(Control::kBackward), all);
  }
  return Tensors(gradients.begin(), gradients.end());
}

Tensors run_one_by_one(const Control& control, Inputs inputs) {
  switch (control.kind) {
    case Kind::kBranch:
      return run_branch(control, inputs);
    case Kind::kLoop:
      return run_loop(control, inputs);
    case Kind::kLoopGradient:
      break;
  }
  return run_gradient(control, inputs);
}

}  // namespace

std::vector<Tensor> replay_region(const Graph& region, std::span<const Tensor> inputs) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  Replay replay(region, pointers, {}, needed_nodes(region, region.outputs(), true));
  for (ValueId output : region.outputs()) replay.keep(output);
  replay.run();
  std::vector<Tensor> outputs;
  for (ValueId output : region.outputs()) outputs.push_back(replay.value(output));
  return outputs;
}

Tensors add_control(TraceState& trace, const std::shared_ptr<const Control>& control,
                    std::span<const Tensor> inputs) {
  SmallVector<ValueId, 8> values;
  for (const Tensor& input : inputs) values.push_back(trace.value_of(input));
  const NodeId id = trace.graph.add_control(control, values, outputs_of(*control), trace.here());
  trace.added(id);
  const Tensors made = trace.symbols(id);
  for (const Tensor& output : made) trace.add_open(output.value());
  if (trace.worlds == nullptr && !trace.keeps_all && has_gradient(*control, inputs)) {
    record_control(control, inputs, made);
  } else {
    // What its gradient is comes out when it runs.
    if (trace.worlds == nullptr && !trace.is_world && autodiff::is_recording())
      trace.worlds = std::make_unique<Worlds>();
    std::vector<const Tensor*> pointers;
    for (const Tensor& input : inputs) pointers.push_back(&input);
    record_as_unknown(pointers, made);
  }
  return made;
}

Tensors call_control(const std::shared_ptr<const Control>& control,
                     std::span<const Tensor* const> inputs, LoopNumbers& loops) {
  if (t_trace == nullptr) {
    // Gradients of gradients, and of random draws, have to follow what is called.
    const bool is_followed = autodiff::is_recording() && autodiff::knows_any(inputs) &&
                             (autodiff::may_record_gradients() || draws(*control));
    if (is_followed) return run_one_by_one(*control, inputs);
    const Function whole = whole_function(control, inputs);
    return whole.is_planned() ? whole(inputs) : run_one_by_one(*control, inputs);
  }
  std::vector<Tensor> given;
  for (const Tensor* input : inputs) given.push_back(*input);
  std::vector<Shape> shapes;
  for (size_t i = num_leading(*control); i < given.size(); ++i) shapes.push_back(given[i].shape());
  auto own = std::make_shared<Control>(*at_shapes(control, shapes));
  // A loop that is called again is another one; its gradient stays its own.
  uint64_t& number = loops[control->loop];
  if (control->kind == Kind::kLoop || number == 0) number = new_id();
  own->loop = number;
  return add_control(*t_trace, own, given);
}

}  // namespace penstock::exec
