// LoopCounters: the cost of loop gradients, for tests and reports.
#pragma once

#include <cstdint>

#include <penstock/base/export.h>

namespace penstock {

// Loop steps that gradients have taken so far: forward, to recompute states, and backward.
struct LoopCounters {
  int64_t forward = 0, backward = 0;
};
PEN_API LoopCounters loop_counters();

}  // namespace penstock
