// TraceState: a function while it is traced. Ops called on its thread become nodes of its graph
// instead of running; what depends on nothing that changes from call to call runs at once.
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
  // A tensor of an outer trace that the function uses: an input after those of its own.
  struct Capture {
    Tensor outer;
    Tensor inner;
  };

  using MakeOpenShapes = std::unique_ptr<OpenShapes> (*)();
  // A graph builder's keeps every call as a node; its number has kBuilderBit.
  TraceState(std::string_view a_name, MakeOpenShapes make, bool is_builder = false);
  virtual ~TraceState() = default;
  TraceState(const TraceState&) = delete;
  TraceState& operator=(const TraceState&) = delete;

  const uint32_t number;  // of the graph: what symbolic tensors know
  std::string name;
  Graph graph;
  std::deque<Slot> slots;  // a slot stays where it is
  std::vector<Capture> captures;
  std::unique_ptr<OpenShapes> open_shapes;  // once there is a value whose shape is not known
  bool is_probe = false;                    // it is a probe of another one (shape_probes.h)
  bool is_region = false;                   // of the trace around it: variables are the latter's
  const bool keeps_all;  // of a GraphBuilder: every call is a node, and nothing runs
  TraceState* outer = nullptr;
  int depth = 0;  // of the regions around it
  // Of a Trace: the tapes around it must not see its ops, and those made in it do.
  std::optional<HideTapes> hide_tapes;
  bool was_paused = false;

  // The variable's value at this point of the function.
  Slot& slot_of(const Variable& variable);
  // What the variable held when the function began; kNoIndex when it was not asked for.
  ValueId read_of(uint64_t variable_id);
  // The graph's value for an op's input. Throws InvalidArgumentError for a tensor of a function
  // that is not being traced any more.
  ValueId value_of(const Tensor& tensor);
  // Makes a tensor of an outer trace an input, after those of its own.
  ValueId capture(const Tensor& tensor);
  // Whether a tape around this region follows the tensor.
  bool is_followed_outside(const Tensor& tensor) const;
  // The graph's values for the inputs of an op that is about to become a node.
  virtual void add_inputs(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                          SmallVector<ValueId, 4>& values);
  // A constant as a node.
  virtual ValueId add_constant(const Tensor& tensor);
  // What is known of open shapes, from now on.
  OpenShapes& open();
  // Adds a value with unknown dimensions to that.
  void add_open(ValueId value);
  // Makes `tensor` what the variable holds from here on.
  void set_current(const Variable& variable, const Tensor& tensor);
  // A value as a tensor.
  Tensor symbol(ValueId value) const;
  // The outputs of a node, as tensors.
  Tensors symbols(NodeId node) const;
  // The line that is running.
  int32_t here();
  // Throws std::runtime_error when there must be no new nodes.
  virtual void check_open() const {}
  // Told of every new node that is a call.
  virtual void added(NodeId) {}
  // Told of the results of a function that was called: its nodes are those from `first` on.
  virtual void called(NodeId, std::vector<Tensor>&) {}
  // The value of one of its tensors, where that is known.
  virtual std::optional<Tensor> known_value(const Tensor&) { return std::nullopt; }

 private:
  const MakeOpenShapes make_open_shapes_;
  autodiff::IdMap<int32_t> slot_numbers_;
  autodiff::IdMap<ValueId> constants_;
};

// The innermost trace of this thread; null outside of traces and in a scope that leaves them.
extern thread_local TraceState* t_trace;

[[noreturn]] void fail_out_of_scope(const Tensor& tensor);

}  // namespace penstock::exec
