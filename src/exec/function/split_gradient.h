// split_gradient: splits a function into two halves, so that a call under a tape runs as a whole: a
// forward function that also returns the values that the gradients need, and a backward function.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <penstock/exec/function.h>

namespace penstock::exec {

struct FunctionState;

// A gradient that a backward function returns: one tensor, or values and indices.
struct GradientForm {
  int32_t source;  // an input, or num_inputs + a slot
  bool is_sparse = false;
  Shape dense_shape = {};
};

struct SplitGradient {
  std::vector<bool> wanted;  // of inputs: whether the backward function computes their gradient
  Function forward;          // inputs -> outputs, then saved values
  Function backward;         // saved values, then gradients at outputs -> gradients
  std::vector<GradientForm> gradients;
  std::vector<int32_t> at_outputs;  // outputs whose gradients the backward function takes
};

// Whether a gradient with respect to the variable may be taken.
bool is_source(const Variable& variable);

// The halves for the wanted inputs and all trainable variables; cached for each choice.
std::shared_ptr<const SplitGradient> split_gradient(FunctionState& function,
                                                    const std::vector<bool>& wanted);

// Runs the function and records its gradient on this thread's tape. The gradients are of first
// order: no tape sees the values passed between the halves.
Tensors call_recorded(FunctionState& function, std::span<const Tensor* const> inputs);

}  // namespace penstock::exec
