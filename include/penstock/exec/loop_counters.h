// LoopCounters: what gradients of loops cost, for tests and reports.
#pragma once

#include <cstdint>

#include <penstock/base/export.h>

namespace penstock {

// Steps of loops that gradients have taken so far: forwards, to have states again, and backwards.
struct LoopCounters {
  int64_t forward = 0, backward = 0;
};
PEN_API LoopCounters loop_counters();

}  // namespace penstock
