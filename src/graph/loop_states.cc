#include "graph/loop_states.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include <penstock/exec/control.h>

#include "exec/run/control/control_memory.h"
#include "graph/copier.h"
#include "graph/extract.h"
#include "plan/checkpoints.h"

namespace penstock {
namespace exec {
namespace {

std::atomic<int64_t> g_forward{0}, g_backward{0};

}  // namespace

StateForm::StateForm(const Graph& region, std::span<const int32_t> numbers) {
  for (int32_t number : numbers) {
    const int64_t bytes = region.bytes(region.inputs()[static_cast<size_t>(number)]);
    offsets_.push_back(total_);
    bytes_.push_back(static_cast<size_t>(bytes));
    total_ += aligned(bytes);
  }
}

void add_inner(const RegionCode& region, std::vector<PlannedLoop>& loops) {
  const size_t before = loops.size();
  region.add_loops(loops);
  for (size_t i = before; i < loops.size(); ++i) ++loops[i].depth;
}

std::vector<int32_t> all_states(const Control& control) {
  std::vector<int32_t> numbers(static_cast<size_t>(control.num_states));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Graph with_condition(const Graph& body, const Graph& condition) {
  Graph made;
  Copier step(body, made), test(condition, made);
  for (const Node& node : body.nodes()) step.copy(node);
  const SmallVector<ValueId, 8> states = step.all(body.outputs());
  for (size_t i = 0; i < condition.num_inputs(); ++i)
    test.set(condition.inputs()[i], i < states.size() ? states[i] : step[body.inputs()[i]]);
  for (const Node& node : condition.nodes()) test.copy(node);
  SmallVector<ValueId, 8> outputs = states;
  outputs.push_back(test[condition.outputs()[0]]);
  made.set_outputs(outputs);
  return made;
}

Graph with_last_first(const Graph& region, size_t first) {
  const std::span<const ValueId> all = region.inputs();
  std::vector<ValueId> inputs(all.begin() + static_cast<ptrdiff_t>(first), all.end());
  inputs.insert(inputs.end(), all.begin(), all.begin() + static_cast<ptrdiff_t>(first));
  return extract(region, inputs, region.outputs(), {});
}

int64_t num_checkpoints(const Control& control) {
  const int64_t wanted =
      control.checkpoints > 0 ? control.checkpoints : default_checkpoints(control.trips);
  return std::min(wanted, std::max<int64_t>(control.trips - 1, 0));
}

std::vector<int64_t> kept_on_way(int64_t trips, int64_t checkpoints) {
  std::vector<int64_t> steps;
  int64_t at = 0;
  for (int64_t states = checkpoints + 1; states > 1 && trips - at >= 2; --states) {
    at += next_kept(trips - at, states);
    steps.push_back(at);
  }
  return steps;
}

int64_t online_checkpoints(int64_t steps) {
  const double wanted = std::ceil(std::sqrt(2.0 * static_cast<double>(steps)));
  return std::max<int64_t>(8, static_cast<int64_t>(wanted));
}

void count_loop_steps(int64_t forward, int64_t backward) {
  g_forward.fetch_add(forward, std::memory_order_relaxed);
  g_backward.fetch_add(backward, std::memory_order_relaxed);
}

}  // namespace exec

int64_t PlannedLoop::checkpoints_after(int64_t steps) const {
  if (trips >= 0) return checkpoints;
  const int64_t most = checkpoints < 0 ? exec::online_checkpoints(steps) : checkpoints;
  return std::min(most, std::max<int64_t>(steps - 1, 0));
}

int64_t MemoryPlan::peak_bytes_after(int64_t steps) const {
  int64_t most = 0;
  std::vector<int64_t> held;  // by the loops around, and this one
  for (const PlannedLoop& loop : loops) {
    const bool grows = loop.name == "while gradient" && loop.trips < 0 && !loop.is_in_file;
    held.resize(static_cast<size_t>(loop.depth));
    held.push_back((held.empty() ? 0 : held.back()) +
                   (grows ? loop.checkpoints_after(steps) * loop.state_bytes : 0));
    most = std::max(most, held.back());
  }
  return peak_bytes + most;
}

LoopCounters loop_counters() {
  return {exec::g_forward.load(std::memory_order_relaxed),
          exec::g_backward.load(std::memory_order_relaxed)};
}

}  // namespace penstock
