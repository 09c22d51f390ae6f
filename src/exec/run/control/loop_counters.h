// Counts the loop steps that gradients take.
#pragma once

#include <cstdint>

namespace penstock::exec {

void count_loop_steps(int64_t forward, int64_t backward);

}  // namespace penstock::exec
