#include "exec/function/compile_function.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "exec/function/partly_planned.h"
#include "exec/function/program.h"
#include "graph/passes/share_loop_checkpoints.h"
#include "graph/passes/simplify.h"

namespace penstock::exec {

CompiledFunction& compiled(FunctionState& function) {
  if (!function.has_known_inputs) {
    throw InvalidArgumentError(
        cat("[", function.name,
            "] has inputs whose shapes are not known: what a call of it holds depends on "
            "their sizes"));
  }
  const std::lock_guard lock(function.mutex);
  std::unique_ptr<CompiledFunction>& compiled = function.compiled;
  if (compiled != nullptr) return *compiled;
  if (function.is_planned) {
    function.simplified = std::make_unique<Graph>(share_loop_checkpoints(simplify(function.graph)));
    compiled = std::make_unique<Program>(*function.simplified, function.variables, function.name);
  } else {
    compiled = std::make_unique<PartlyPlanned>(function.graph, function.variables, function.name);
  }
  return *compiled;
}

namespace {

// The program if loop gradients kept that many states. Pre: is_planned.
std::unique_ptr<FunctionState::Retired> with_checkpoints(const FunctionState& function,
                                                         int64_t most) {
  auto result = std::make_unique<FunctionState::Retired>();
  result->simplified = std::make_unique<Graph>(
      share_loop_checkpoints(limit_checkpoints(simplify(function.graph), most)));
  result->compiled =
      std::make_unique<Program>(*result->simplified, function.variables, function.name);
  return result;
}

int64_t most_checkpoints(const MemoryPlan& plan) {
  int64_t most = 0;
  for (const PlannedLoop& loop : plan.loops) most = std::max(most, loop.checkpoints);
  return most;
}

}  // namespace

int64_t least_peak_bytes(FunctionState& function) {
  const MemoryPlan plan = compiled(function).plan();
  if (!function.is_planned || most_checkpoints(plan) <= 1) return plan.peak_bytes;
  return std::min(plan.peak_bytes, with_checkpoints(function, 1)->compiled->peak_bytes());
}

bool fit(FunctionState& function, int64_t bytes) {
  const MemoryPlan plan = compiled(function).plan();
  int64_t most = most_checkpoints(plan), state = 0;
  for (const PlannedLoop& loop : plan.loops) {
    if (loop.grows() && loop.checkpoints < 0) state = std::max(state, loop.state_bytes);
  }
  if (plan.peak_bytes <= bytes && state == 0) return true;
  if (!function.is_planned) return plan.peak_bytes <= bytes;
  // Loops with an unknown number of steps keep as many states as fit.
  if (state > 0) most = std::max(most, (bytes - plan.peak_bytes) / state + 1);
  const std::lock_guard lock(function.mutex);
  std::unique_ptr<FunctionState::Retired> best;
  // Binary search for the most states that fit.
  for (int64_t low = 1, high = state > 0 ? most : most - 1; low <= high;) {
    const int64_t middle = (low + high + 1) / 2;
    std::unique_ptr<FunctionState::Retired> candidate = with_checkpoints(function, middle);
    if (candidate->compiled->plan().peak_bytes_after(INT64_MAX / 2) <= bytes) {
      best = std::move(candidate);
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  if (best == nullptr) return false;
  std::swap(best->simplified, function.simplified);
  std::swap(best->compiled, function.compiled);
  function.retired.push_back(std::move(best));
  return true;
}

}  // namespace penstock::exec
