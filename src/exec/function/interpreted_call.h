// Interprets a function call, op by op: inside another trace, and under tapes that must see the
// ops.
#pragma once

#include <span>
#include <vector>

#include "exec/trace/function_state.h"

namespace penstock::exec {

// The outputs of an interpreted call. `inputs` are without captures.
std::vector<Tensor> interpret_call(const FunctionState& function,
                                   std::span<const Tensor* const> inputs,
                                   StateMap* states = nullptr);
// The same with other variables, by slot.
std::vector<Tensor> interpret_call(const FunctionState& function,
                                   std::span<const Tensor* const> inputs,
                                   std::span<const Variable> variables, StateMap* states = nullptr);

}  // namespace penstock::exec
