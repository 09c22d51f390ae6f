// split_gradient: a function in two halves, so that a tape around a call can run it as a whole: a
// forward function that also gives what the gradients will read, and a backward one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <penstock/exec/function.h>

namespace penstock::exec {

struct FunctionState;

// One of the gradients that a backward function gives: one tensor, or values and indices.
struct GradientForm {
  int32_t source;  // an input, or num_inputs + a slot
  bool is_sparse = false;
  Shape dense_shape = {};
};

struct SplitGradient {
  std::vector<bool> wanted;  // of inputs: whose gradient the backward function gives
  Function forward;          // inputs -> outputs, then saved values
  Function backward;         // saved values, then gradients at outputs -> gradients
  std::vector<GradientForm> gradients;
  std::vector<int32_t> at_outputs;  // which outputs' gradients the backward function takes
};

// Whether a gradient may be asked for the variable.
bool is_source(const Variable& variable);

// The halves for the inputs wanted and all trainable variables; made once for each choice.
std::shared_ptr<const SplitGradient> split_gradient(FunctionState& function,
                                                    const std::vector<bool>& wanted);

// Runs the function, and tells this thread's tape how gradients go back through it. The gradients
// are of first order: what the halves hand to each other, no tape sees.
Tensors call_recorded(FunctionState& function, std::span<const Tensor* const> inputs);

}  // namespace penstock::exec
