// Turns an op call into a node of the open trace.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "exec/trace/trace_state.h"

namespace penstock::exec {

// The inputs of a call, with the known values of those that infer reads.
class KnownInputs {
 public:
  KnownInputs(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs);
  std::span<const Tensor* const> get() const { return pointers_; }

 private:
  std::deque<Tensor> values_;
  SmallVector<const Tensor*, 6> pointers_;
};

// Whether a call must be traced as a whole, before its shapes are inferred, because the trace's
// probes take part.
bool is_open_call(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs);
// Adds such a call as a node. Pre: the inputs have been checked.
Tensors trace_open(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs,
                   Attrs attrs);

// Adds `op` as a node if it must be one; none if it can run now. Pre: a trace is open, the inputs
// have been checked.
std::optional<Tensors> trace_op(TraceState& trace, const OpDef& op,
                                std::span<const Tensor* const> inputs, Attrs attrs,
                                InferContext& infer);

}  // namespace penstock::exec
