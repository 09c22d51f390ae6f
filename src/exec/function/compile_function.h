// Compiles a function's graph, once, and caches the result in its state.
#pragma once

#include <cstdint>

#include "exec/compiled_function.h"
#include "exec/trace/function_state.h"

namespace penstock::exec {

// What runs a call. Throws InvalidArgumentError if shapes of inputs are unknown.
CompiledFunction& compiled(FunctionState& function);
// See Function.
bool fit(FunctionState& function, int64_t bytes);
int64_t least_peak_bytes(FunctionState& function);

}  // namespace penstock::exec
