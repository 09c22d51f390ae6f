// ControlExecutable: a branch or a loop made ready to run as an instruction of an Executable. Its
// regions run in memory which that sets apart for it: nothing is allocated while it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <penstock/exec/memory_plan.h>
#include <penstock/ops/op_def.h>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

// What one run of a control instruction needs of its own.
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
  // What it takes itself.
  virtual int64_t bytes() const = 0;
  // Adds its loops, which have this line, and those of its regions.
  virtual void add_loops(const std::string& line, std::vector<PlannedLoop>& loops) const = 0;
};

// Makes a control node ready to run (control_factory.h). Who makes one is handed it, as controls
// are inside each other. Pre: the node is closed.
using MakeControlFn = std::unique_ptr<ControlExecutable> (*)(const Graph& graph, const Node& node);

}  // namespace penstock::exec
