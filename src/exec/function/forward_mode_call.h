// Calls of functions under a forward accumulator: as a whole, with a function that takes tangents
// along with its inputs and gives those of its outputs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <penstock/exec/function.h>

namespace penstock::exec {

struct FunctionState;

struct WithTangents {
  std::vector<bool> wanted;      // inputs, then slots: those that have tangents
  Function function;             // inputs, tangents -> outputs, tangents
  std::vector<int32_t> outputs;  // that have tangents
};

// Whether the innermost of this thread's tapes is a forward accumulator.
bool is_pushed_forward();
// Runs the function and gives that accumulator the tangents of its outputs; the tapes and
// accumulators around see the call. Pre: is_pushed_forward(), no trace is open.
Tensors call_with_tangents(const Function& function, std::span<const Tensor* const> inputs);

}  // namespace penstock::exec
