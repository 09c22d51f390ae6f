// The states of loops, and what loops and their gradients share of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock {

// Some states of a loop, packed in memory.
class PackedStates {
 public:
  // `numbers` are those of the region's inputs.
  PackedStates(const Graph& region, std::span<const int32_t> numbers);

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

// The body of a loop whose last output is the condition of its new state.
Graph with_condition(const Graph& body, const Graph& condition);
// The region with its inputs from `first` on moved to the front.
Graph with_last_first(const Graph& region, size_t first);

// The number of states that the gradient of a loop of known length keeps besides the first.
int64_t num_checkpoints(const Control& control);

}  // namespace penstock
