// Binomial checkpointing: which states of a loop to keep, so that its steps can be gone through
// backwards with as few of them made again as possible.
//
//   reversal   of n steps, from state 0 on, which is kept; with s kept states at most, that
//   included advance    a step forwards that is made only for the state after it
//
// With s states and every step made at most r times, C(s + r, s) steps can be reversed.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::plan {

// The fewest advances that a reversal needs. Pre: s >= 1.
int64_t num_advances(int64_t n, int64_t s);
// How far to advance before the next state is kept, so that no more are needed. Pre: n >= 2, s
// >= 2.
int64_t next_kept(int64_t n, int64_t s);

// How many states besides the first are worth keeping: every step is then made twice at most.
int64_t default_checkpoints(int64_t n);

// The steps whose states a loop of known length comes by and keeps on its way to the end.
std::vector<int64_t> kept_on_way(int64_t trips, int64_t checkpoints);
// How many are kept after so many steps of a loop whose length is not known.
int64_t online_checkpoints(int64_t steps);

}  // namespace penstock::plan
