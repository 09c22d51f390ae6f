// Executable: a closed graph, ready to run. Its instructions are in order, every value has its
// place, and a run only calls kernels: no allocation, no look-up per instruction, and no lock
// except for the state of a random op.
//
// The caller provides the memory: a Program uses its own buffers, a control instruction part of the
// memory of its parent Executable. Threads may run one concurrently, each with its own Frame.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/compile/memory_layout.h"
#include "exec/run/control_executable.h"
#include "graph/graph.h"

namespace penstock::exec {

class Executable {
 public:
  // Keeps a reference to the graph.
  Executable(const Graph& graph, MakeControlFn make_control);
  ~Executable();

  // The Views of one run and the addresses they come from.
  struct Frame {
    Graph::List<char*> bases;  // of storages
    Graph::List<char*> slots;  // of written slots
    Graph::List<View> views;
    Graph::List<Attr> attrs;     // of random ops: their stream position changes
    Graph::List<int64_t> drawn;  // the stream positions of random ops in this run
    std::vector<std::unique_ptr<ControlFrame>> controls;
  };
  std::unique_ptr<Frame> make_frame() const;
  // Computes the addresses of views from `bases`, except those of storages that are not set yet.
  void bind(Frame& frame) const;
  // Runs the instructions. Pre: bound.
  void run(Frame& frame) const;
  // Copies values that were not computed in the memory of their slot into it.
  void move_writes(Frame& frame) const;

  const Graph& graph() const { return graph_; }
  const MemoryLayout& layout() const { return layout_; }
  size_t num_instructions() const { return instructions_.size(); }
  int64_t bytes() const;
  // The names of step `i` of the layout, and of one of its nodes.
  std::string name_of(int32_t i) const;
  std::string name_of(const Node& node) const;
  // Adds its loops, nested ones included.
  void add_loops(std::vector<PlannedLoop>& loops) const;
  // "model.py:12"; empty if unknown.
  std::string line_of(const Node& node) const;

 private:
  // A step of the layout; for kernels, products and controls also their arguments.
  struct Instruction {
    Step::Kind kind;
    const Step* step;
    const DirectLoop* loop = nullptr;  // the step's, cached: it takes a few nanoseconds
    const OpDef* op = nullptr;
    KernelFn kernel = nullptr;
    Attrs attrs = {};
    int32_t first_view = 0;  // inputs, then outputs
    int32_t num_inputs = 0, num_outputs = 0;
    int32_t stream = kNoIndex;  // of random numbers
  };
  struct ViewPlace {
    int32_t storage;
    int64_t offset;
  };
  // The random stream of an op.
  struct Stream {
    RandomStateRef state;
    int32_t attr;    // the op's `skip`
    int32_t source;  // the stream of this run that it repeats, or kNoIndex
    int64_t blocks;  // of one run
  };

  void add_instruction(const Step& step);
  void add_views(Instruction& instruction, std::span<const ValueId> inputs, ValueId first_output,
                 int32_t num_outputs);
  void add_view(ValueId value);
  int32_t add_stream(const Node& node);
  // The instruction's attributes with its stream position; `own` is storage for them.
  Attrs placed(const Instruction& instruction, Frame& frame, Attr* own) const;
  KernelContext context_of(const Instruction& instruction, Frame& frame) const;
  char* scratch_of(const Step& step, Frame& frame) const;

  const Graph& graph_;
  std::vector<std::unique_ptr<ControlExecutable>> controls_;
  MemoryLayout layout_;
  std::vector<Instruction> instructions_;
  std::vector<View> views_;        // without addresses
  std::vector<ViewPlace> places_;  // of views_
  std::vector<Stream> streams_;
};

}  // namespace penstock::exec
