// The loops of the update rules, for the machine's instruction set.
#pragma once

#include "kernels/optimizers.h"

namespace penstock::kernels {

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
