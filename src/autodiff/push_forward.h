// push_forward: the tangents of a call's outputs from those of its inputs.
#pragma once

#include "autodiff/tape_state.h"

namespace penstock::autodiff {

// While it lasts, the thread's tapes are those around an accumulator: they see what is done for it,
// and it does not.
class AroundAccumulator {
 public:
  explicit AroundAccumulator(TapeState& accumulator);
  ~AroundAccumulator();
  AroundAccumulator(const AroundAccumulator&) = delete;
  AroundAccumulator& operator=(const AroundAccumulator&) = delete;

 private:
  TapeState& accumulator_;
  TapeState* innermost_;
  bool was_paused_;
};

// Pre: the accumulator is open on this thread; the call has all data of inputs and outputs.
void push_forward(TapeState& accumulator, const Record& call);

}  // namespace penstock::autodiff
