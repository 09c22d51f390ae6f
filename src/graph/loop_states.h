// What loops and their gradients have in common when they run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/control.h"

namespace penstock::exec {

// Some states of a loop, one after the other in memory.
class StateForm {
 public:
  // `numbers` are of inputs of the region.
  StateForm(const Graph& region, std::span<const int32_t> numbers);

  size_t size() const { return offsets_.size(); }
  int64_t offset(size_t i) const { return offsets_[i]; }
  size_t bytes(size_t i) const { return bytes_[i]; }
  int64_t total() const { return total_; }

 private:
  std::vector<int64_t> offsets_;
  std::vector<size_t> bytes_;
  int64_t total_ = 0;
};

// 0, 1, 2, … one for each state of the loop.
std::vector<int32_t> all_states(const Control& control);

// The body of a loop, with the condition of the state that it gives as its last output.
Graph with_condition(const Graph& body, const Graph& condition);
// The region with its inputs from `first` on before the others.
Graph with_last_first(const Graph& region, size_t first);

// How many states the gradient of a loop of known length keeps besides the one it starts from.
int64_t num_checkpoints(const Control& control);
// Those that it comes by and keeps on its way to the end.
std::vector<int64_t> kept_on_way(int64_t trips, int64_t checkpoints);
// How many are kept after so many steps of a loop whose length is not known.
int64_t online_checkpoints(int64_t steps);

// Gradients of loops keep so many states at most, unless the program said how many.
Graph limit_checkpoints(Graph graph, int64_t most);
// A loop whose gradient is in the same graph keeps the states for it (see Control).
Graph tie_loops(Graph graph);

// Counts steps that gradients take forwards and backwards.
void count_loop_steps(int64_t forward, int64_t backward);

}  // namespace penstock::exec
