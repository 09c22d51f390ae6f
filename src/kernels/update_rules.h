// The update rules' loops, for the instruction set of the machine.
#pragma once

#include "kernels/optimizers.h"

namespace penstock::kernels {

// Runs of floats, or of doubles; an output lies exactly on its input or apart from all.
struct UpdateSpan {
  const void* in[kMaxUpdateStates];
  void* out[kMaxUpdateStates];
  const void* grad;
  int64_t count;
};
using UpdateLoop = void (*)(const UpdateNumbers& numbers, const UpdateSpan& span);

UpdateLoop update_loop(UpdateRule rule, bool is_double) noexcept;

}  // namespace penstock::kernels
