#include "exec/regions.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/function.h>

#include "autodiff/recording.h"
#include "exec/function_state.h"
#include "exec/replay.h"
#include "exec/trace_state.h"
#include "graph/extract.h"

namespace penstock::exec {
namespace {

using Kind = Control::Kind;

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

// Whether its gradient can be worked out now. What draws random numbers would draw others when it
// is called again.
bool has_gradient(const Control& control, std::span<const Tensor> inputs) {
  const auto is_fit = [](const auto& region) {
    return is_closed(*region) && std::ranges::none_of(region->nodes(), [&](const Node& node) {
             return is_stateful(*region, node);
           });
  };
  return std::ranges::all_of(control.regions, is_fit) &&
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

// The regions as functions, for calls one by one.
std::vector<Function>& functions_of(const Control& control) {
  const std::lock_guard lock(control.mutex);
  if (control.prepared == nullptr) {
    auto functions = std::make_shared<std::vector<Function>>();
    for (const auto& region : control.regions) {
      functions->push_back(
          make_function(name_of(control.kind),
                        extract(*region, region->inputs(), region->outputs(), {}, true), {}));
    }
    control.prepared = std::move(functions);
  }
  return *static_cast<std::vector<Function>*>(control.prepared.get());
}

Tensors run_branch(const Control& control, std::span<const Tensor* const> inputs) {
  std::vector<Function>& regions = functions_of(control);
  const auto index = static_cast<size_t>(inputs[0]->item<int32_t>());
  return regions[std::min(index, regions.size() - 1)](inputs.subspan(1));
}

Tensors run_loop(const Control& control, std::span<const Tensor* const> inputs) {
  std::vector<Function>& regions = functions_of(control);
  const auto count = static_cast<size_t>(control.num_states);
  std::vector<Tensor> state;
  for (const Tensor* input : inputs.first(count)) state.push_back(*input);
  std::vector<const Tensor*> given(inputs.begin(), inputs.end());
  for (;;) {
    for (size_t i = 0; i < count; ++i) given[i] = &state[i];
    if (!regions[Control::kCondition](given)[0].item<bool>()) break;
    Tensors next = regions[Control::kBody](given);
    state.assign(next.begin(), next.end());
  }
  return Tensors(state.begin(), state.end());
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
    if (control->kind == Kind::kBranch) return run_branch(*control, inputs);
    if (control->kind == Kind::kLoop) return run_loop(*control, inputs);
    // A gradient is planned: it runs as a function of its own.
    const HideTapes hide;
    Trace trace("while gradient");
    std::vector<Tensor> own;
    for (const Tensor* input : inputs) own.push_back(trace.input(input->dtype(), input->shape()));
    const Tensors made = add_control(*t_trace, control, own);
    return trace.finish(made)(inputs);
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
