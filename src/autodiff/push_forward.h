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

// The inputs of a call that have tangents, and these.
struct Moving {
  SmallVector<size_t, 4> inputs;
  SmallVector<Tensor, 4> tangents;
};

// The tangents of the outputs, by transposing the call's gradient. Pre: no input moves twice.
std::vector<Tensor> transposed_tangents(const Record& call, const Moving& moving);
// The same of a call of an op with data, without computing the gradient itself: it is only traced
// (exec/function/forward_mode_call.cc). Worth its while for large calls.
std::vector<Tensor> transposed_apart(const Record& call, const Moving& moving);

// Pre: the accumulator is open on this thread; the call has all data of inputs and outputs.
void push_forward(TapeState& accumulator, const Record& call);

}  // namespace penstock::autodiff
