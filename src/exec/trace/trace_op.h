// How the call of an op becomes a node of the trace that is open.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "exec/trace/trace_state.h"

namespace penstock::exec {

// The inputs of a call with the values of those that infer looks at, where they are known.
class KnownInputs {
 public:
  KnownInputs(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs);
  std::span<const Tensor* const> get() const { return pointers_; }

 private:
  std::deque<Tensor> values_;
  SmallVector<const Tensor*, 6> pointers_;
};

// Whether a call must be looked at as a whole, before its shapes are: the trace's probes have a say
// in it.
bool is_open_call(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs);
// Such a call as a node. Pre: the inputs have been checked.
Tensors trace_open(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs,
                   Attrs attrs);

// `op` as a node, when it must be one: none where it can run now. Pre: a trace is open, the inputs
// have been checked.
std::optional<Tensors> trace_op(TraceState& trace, const OpDef& op,
                                std::span<const Tensor* const> inputs, Attrs attrs,
                                InferContext& infer);

}  // namespace penstock::exec
