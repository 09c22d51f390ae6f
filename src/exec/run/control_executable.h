// ControlExecutable: a branch or loop that runs as an instruction of an Executable. Its regions run
// in memory that the Executable reserves: nothing is allocated while it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <penstock/exec/memory_plan.h>
#include <penstock/ops/op_def.h>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

// The per-run state of a control instruction.
struct ControlFrame {
  virtual ~ControlFrame() = default;
};

class ControlExecutable {
 public:
  virtual ~ControlExecutable() = default;
  virtual int64_t scratch_bytes() const = 0;
  virtual std::unique_ptr<ControlFrame> make_frame() const = 0;
  // The context has the node's inputs and outputs.
  virtual void run(const KernelContext& context, ControlFrame& frame) const = 0;
  // Its own memory.
  virtual int64_t bytes() const = 0;
  // Adds its own loops, at this line, and those of its regions.
  virtual void add_loops(const std::string& line, std::vector<PlannedLoop>& loops) const = 0;
};

// Creates the executable of a control node (control_factory.h). Passed down as a callback, because
// control nodes nest. Pre: the node is closed.
using MakeControlFn = std::unique_ptr<ControlExecutable> (*)(const Graph& graph, const Node& node);

}  // namespace penstock::exec
