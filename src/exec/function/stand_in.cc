#include <penstock/exec/stand_in.h>

#include <algorithm>
#include <optional>

#include <penstock/base/error.h>
#include <penstock/exec/trace.h>

#include "exec/eager/variable_state.h"
#include "exec/function/interpreted_call.h"
#include "exec/op_call.h"

namespace penstock {

Variable stand_in_for(const Variable& variable) {
  return with_memory_errors("Variable", [&] {
    auto state = std::make_shared<Variable::State>();
    state->name = variable.name();
    state->trainable = variable.trainable();
    state->is_stand_in = true;
    state->id = new_id();
    state->dtype = variable.dtype();
    state->shape = variable.shape();
    const std::lock_guard lock(variable.state().mutex);
    state->value = variable.state().value.without_data();
    return Variable(std::move(state));
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
    // A function that uses tensors of the enclosing trace becomes part of it.
    std::optional<LeaveTraces> leave;
    if (!function.has_captures()) leave.emplace();
    Trace trace(state.name);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < function.num_inputs(); ++i) {
      const ValueId input = state.graph.inputs()[i];
      inputs.push_back(trace.input(state.graph.dtype(input), state.graph.shape(input)));
    }
    return trace.finish(exec::interpret_call(state, exec::pointers_to(inputs), variables));
  });
}

}  // namespace penstock
