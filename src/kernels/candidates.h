// Candidate sampling: classes drawn for losses that do not look at all of them, with TensorFlow's
// random stream.
#pragma once

#include <cstdint>

#include "kernels/philox.h"

namespace penstock::kernels {

// Numbers in [0, range): all alike, or with chances that fall off as log((k + 2) / (k + 1)).
struct CandidateRange {
  bool log_uniform;
  int64_t range;
  double chance(int64_t value) const;
};

// A set of numbers, each with the place it was last put in with, in `slots` pairs of scratch.
class PlaceTable {
 public:
  static int64_t slots(int64_t count);  // for so many numbers
  PlaceTable(int64_t* pairs, int64_t slots);
  // False when the number was there; its place is then the new one.
  bool put(int64_t number, int64_t place);
  // -1 when the number is not there.
  int64_t find(int64_t number) const;

 private:
  int64_t* slot_of(int64_t number) const;
  int64_t* pairs_;
  int64_t mask_;
};

// Fills `sampled`; gives the number of draws, which is more than `count` when each number is to be
// drawn once only. `table` is used when it is not null.
// Pre: with a table, count is at most the range.
int64_t draw_candidates(const CandidateRange& range, PhiloxStream stream, int64_t count,
                        PlaceTable* table, int64_t* sampled);
// How often `value` is expected among `count` sampled numbers that took `draws` draws.
float expected_count(const CandidateRange& range, int64_t value, int64_t count, int64_t draws);

}  // namespace penstock::kernels
