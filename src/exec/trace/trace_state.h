// TraceState: a function while it is traced. Ops called on its thread become nodes of its graph
// instead of running. Ops whose result can never change run immediately.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <penstock/exec/variable.h>

#include "autodiff/id_map.h"
#include "autodiff/recording.h"
#include "exec/trace/open_shapes.h"
#include "graph/graph.h"

namespace penstock::exec {

inline constexpr uint32_t kBuilderBit = 1u << 31;

struct TraceState {
  // A variable that the function reads or writes: slot i of the graph.
  struct Slot {
    Variable variable;
    Tensor current;  // its id is the variable's
    ValueId read = kNoIndex;
    bool is_written = false;
  };
  // A tensor of an outer trace that the function uses: an input after its own inputs.
  struct Capture {
    Tensor outer;
    Tensor inner;
  };

  using MakeOpenShapes = std::unique_ptr<OpenShapes> (*)();
  // The trace of a graph builder keeps every call as a node; its number has kBuilderBit.
  TraceState(std::string_view a_name, MakeOpenShapes make, bool is_builder = false);
  virtual ~TraceState() = default;
  TraceState(const TraceState&) = delete;
  TraceState& operator=(const TraceState&) = delete;

  const uint32_t number;  // of the graph: symbolic tensors refer to it
  std::string name;
  Graph graph;
  std::deque<Slot> slots;  // a deque: slots do not move
  std::vector<Capture> captures;
  std::unique_ptr<OpenShapes> open_shapes;  // once a value has an open shape
  bool is_probe = false;                    // a probe of another trace (shape_probes.h)
  bool is_region = false;                   // of the trace around it, whose variables it uses
  const bool keeps_all;  // of a GraphBuilder: every call is a node, and nothing runs
  TraceState* outer = nullptr;
  int depth = 0;  // the number of regions around it
  // For a Trace: outer tapes must not see its ops; tapes created inside do.
  std::optional<HideTapes> hide_tapes;
  bool was_paused = false;

  // The variable's value at this point of the function.
  Slot& slot_of(const Variable& variable);
  // The variable's value at the start of the function; kNoIndex if it was not read.
  ValueId read_of(uint64_t variable_id);
  // The graph's value for an op's input. Throws InvalidArgumentError for a tensor of a function
  // that is no longer traced.
  ValueId value_of(const Tensor& tensor);
  // Makes a tensor of an outer trace an input, after its own inputs.
  ValueId capture(const Tensor& tensor);
  // Whether a tape outside this region follows the tensor.
  bool is_followed_outside(const Tensor& tensor) const;
  // The graph's values for the inputs of an op that is about to become a node.
  virtual void add_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                          SmallVector<ValueId, 4>& values);
  // A constant as a node.
  virtual ValueId add_constant(const Tensor& tensor);
  // The knowledge of open shapes, created on first use.
  OpenShapes& open();
  // Adds a value with unknown dimensions to it.
  void add_open(ValueId value);
  // Sets the variable's value from here on.
  void set_current(const Variable& variable, const Tensor& tensor);
  // A value as a tensor.
  Tensor symbol(ValueId value) const;
  // The outputs of a node, as tensors.
  Tensors symbols(NodeId node) const;
  // The current line of the user's program.
  int32_t here();
  // Throws std::runtime_error if new nodes are forbidden.
  virtual void check_open() const {}
  // Called for every new node that is a call.
  virtual void added(NodeId) {}
  // Called with the results of a function call, whose nodes are those from `first` on.
  virtual void called(NodeId, std::vector<Tensor>&) {}
  // The value of one of its tensors, if known.
  virtual std::optional<Tensor> known_value(const Tensor&) { return std::nullopt; }

 private:
  const MakeOpenShapes make_open_shapes_;
  autodiff::IdMap<int32_t> slot_numbers_;
  autodiff::IdMap<ValueId> constants_;
};

// The innermost trace of this thread; null outside traces and while they are left (LeaveTraces).
extern thread_local TraceState* t_trace;

[[noreturn]] void fail_out_of_scope(const Tensor& tensor);

}  // namespace penstock::exec
