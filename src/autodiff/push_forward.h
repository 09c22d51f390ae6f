// push_forward: computes the tangents of a call's outputs from those of its inputs.
#pragma once

#include "autodiff/tape_state.h"

namespace penstock::autodiff {

// While it exists, the thread's tapes are those around an accumulator: they see its internal calls,
// and the accumulator does not.
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

// The inputs of a call that have tangents, and the tangents.
struct Moving {
  SmallVector<size_t, 4> inputs;
  SmallVector<Tensor, 4> tangents;
};

// The tangents of the outputs, by transposing the call's gradient. Pre: no input moves twice.
std::vector<Tensor> transposed_tangents(const Record& call, const Moving& moving);
// The same for an op call with data, without computing the gradient itself: it is only traced
// (exec/function/forward_mode_call.cc). Pays off for large calls.
std::vector<Tensor> transposed_apart(const Record& call, const Moving& moving);

// Pre: the accumulator is open on this thread; the call has all data of inputs and outputs.
void push_forward(TapeState& accumulator, const Record& call);

}  // namespace penstock::autodiff
