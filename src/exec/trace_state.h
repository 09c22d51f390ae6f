// TraceState: a function while it is traced. Ops called on its thread become nodes of its graph
// instead of running; what depends on nothing that changes from call to call runs at once.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <penstock/exec/variable.h>

#include "autodiff/id_map.h"
#include "autodiff/recording.h"
#include "graph/graph.h"

namespace penstock::exec {

struct TraceState {
  // A variable that the function reads or writes: slot i of the graph.
  struct Slot {
    Variable variable;
    Tensor current;  // its id is the variable's
    bool is_written = false;
  };
  // A tensor of an outer trace that the function uses: an input after those of its own.
  struct Capture {
    Tensor outer;
    Tensor inner;
  };

  explicit TraceState(std::string_view a_name);

  const uint32_t number;  // of the graph: what symbolic tensors know
  std::string name;
  Graph graph;
  std::deque<Slot> slots;  // a slot stays where it is
  std::vector<Capture> captures;
  TraceState* outer = nullptr;
  // The tapes around the trace must not see its ops, and those made in it do.
  HideTapes hide_tapes;
  bool was_paused;

  // The variable's value at this point of the function.
  Slot& slot_of(const Variable& variable);
  // The graph's value for an op's input. Throws InvalidArgumentError for a tensor of a function
  // that is not being traced any more.
  ValueId value_of(const Tensor& tensor);

 private:
  autodiff::IdMap<int32_t> slot_numbers_;
  autodiff::IdMap<ValueId> constants_;
};

// The innermost trace of this thread; null outside of traces and in a scope that leaves them.
extern thread_local TraceState* t_trace;

// `op` as a node, when it must be one: none where it can run now. Pre: a trace is open, the inputs
// have been checked.
std::optional<Tensors> trace_op(TraceState& trace, const OpDef& op,
                                std::span<const Tensor* const> inputs, Attrs attrs,
                                InferContext& infer);

[[noreturn]] void fail_out_of_scope(const Tensor& tensor);

}  // namespace penstock::exec
