// Update rules and their loops, for the machine's instruction set.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// The contents of `UpdateCall.numbers`, and the states after the variable, for each rule.
enum class UpdateRule : uint8_t {
  kGradientDescent,  // learning rate
  kMomentum,         // learning rate, momentum; accumulator
  kAdam,     // beta1 power, beta2 power, learning rate, beta1, beta2, epsilon; mean, variance
  kAdagrad,  // learning rate, epsilon; accumulator
  kRmsProp,  // learning rate, rho, momentum, epsilon; mean square, momentum
  kFtrl,     // learning rate, l1, l2, l2 shrinkage, learning rate power; accumulator, linear
};
inline constexpr int kMaxUpdateStates = 3;
inline constexpr int kMaxUpdateNumbers = 6;

struct UpdateNumbers {
  double values[kMaxUpdateNumbers] = {};
  double weight_decay = 0;  // kAdam: the share of the variable that is subtracted, times the rate
  bool nesterov = false;    // kMomentum, kAdam
};

// Arrays of floats or doubles; an output coincides with its input or overlaps none.
struct UpdateSpan {
  const void* in[kMaxUpdateStates];
  void* out[kMaxUpdateStates];
  const void* grad;
  int64_t count;
};
using UpdateLoop = void (*)(const UpdateNumbers& numbers, const UpdateSpan& span);

UpdateLoop update_loop(UpdateRule rule, bool is_double) noexcept;

}  // namespace penstock::kernels
