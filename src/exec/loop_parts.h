// LoopParts: what of a loop its gradient needs: the states that a step backwards reads, and those
// that these are made of. The others are not made again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/control.h"

namespace penstock::exec {

class LoopParts {
 public:
  // Of a loop gradient.
  explicit LoopParts(const Control& control);

  // Which states are needed.
  std::span<const int32_t> kept() const { return kept_; }
  size_t num_states() const { return static_cast<size_t>(control_.num_states); }
  size_t num_invariants() const;
  size_t num_gradient_states() const { return control_.states.size(); }
  size_t num_gradients() const { return control_.states.size() + control_.invariants.size(); }

  // One state in memory: where each part of it is, and how long.
  int64_t offset(size_t k) const { return offsets_[k]; }
  int64_t bytes(size_t k) const;
  int64_t state_bytes() const { return state_bytes_; }

  // The states at which a reversal of n steps begins to keep, when it may keep `most`.
  static std::vector<int64_t> spine(int64_t n, int64_t most);

  // Of the states that are kept, then of invariants.
  Graph condition() const;
  // Of the same, to the states after a step; where the number of steps is not known, also whether
  // there is another one.
  Graph advance() const;
  // Of the gradients after a step and the sums, then the same, to the gradients before it.
  Graph backward() const;

 private:
  void find_kept();
  std::vector<ValueId> inputs_of(const Graph& region) const;

  const Control control_;
  std::vector<int32_t> kept_;
  std::vector<int64_t> offsets_;
  int64_t state_bytes_ = 0;
};

// The body of a loop, with the condition of the state that it gives as its last output.
Graph with_condition(const Graph& body, const Graph& condition);

// How many states are kept after so many steps of a loop whose number of steps is not known.
int64_t online_checkpoints(int64_t steps);

// Counts steps of loops forwards, made for gradients, and backwards.
void count_loop_steps(int64_t forward, int64_t backward);

}  // namespace penstock::exec
