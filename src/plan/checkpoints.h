// Binomial checkpointing: chooses which states of a loop to keep, so that its steps can run
// backwards with as few recomputed steps as possible.
//
//   reversal  of n steps from state 0, which is kept; with at most s kept states, including state 0
//   advance   a forward step that is run only to get the state after it
//
// With s states, and every step run at most r times, C(s + r, s) steps can be reversed.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::plan {

// The fewest advances that a reversal needs. Pre: s >= 1.
int64_t num_advances(int64_t n, int64_t s);
// How far to advance before keeping the next state, for the fewest advances. Pre: n >= 2, s >= 2.
int64_t next_kept(int64_t n, int64_t s);

// The default number of states besides the first: every step then runs at most twice.
int64_t default_checkpoints(int64_t n);

// The steps whose states a loop of known length keeps during its forward run.
std::vector<int64_t> kept_on_way(int64_t trips, int64_t checkpoints);
// The number of states kept after that many steps of a loop of unknown length.
int64_t online_checkpoints(int64_t steps);

}  // namespace penstock::plan
