// Function calls under a forward accumulator: one function computes the outputs and their tangents
// from the inputs and theirs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <penstock/exec/function.h>

namespace penstock::exec {

struct FunctionState;

struct WithTangents {
  std::vector<bool> wanted;      // inputs, then slots: whether they have tangents
  Function function;             // inputs, tangents -> outputs, tangents
  std::vector<int32_t> outputs;  // the outputs that have tangents
};

// Whether the innermost tape of this thread is a forward accumulator.
bool is_pushed_forward();
// Runs the function and gives that accumulator the tangents of its outputs; outer tapes and
// accumulators see the call. Pre: is_pushed_forward(), no trace is open.
Tensors call_with_tangents(const Function& function, std::span<const Tensor* const> inputs);

}  // namespace penstock::exec
