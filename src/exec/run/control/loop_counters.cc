#include "exec/run/control/loop_counters.h"

#include <atomic>

#include <penstock/exec/loop_counters.h>

namespace penstock {
namespace exec {
namespace {

std::atomic<int64_t> g_forward{0}, g_backward{0};

}  // namespace

void count_loop_steps(int64_t forward, int64_t backward) {
  g_forward.fetch_add(forward, std::memory_order_relaxed);
  g_backward.fetch_add(backward, std::memory_order_relaxed);
}

}  // namespace exec

LoopCounters loop_counters() {
  return {exec::g_forward.load(std::memory_order_relaxed),
          exec::g_backward.load(std::memory_order_relaxed)};
}

}  // namespace penstock
