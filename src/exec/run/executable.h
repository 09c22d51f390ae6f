// Executable: a closed graph made ready to run. Its instructions are in order, every value has its
// place, and a run does nothing but call kernels: no allocation, no look-up per instruction, and no
// lock but that of a random op's state.
//
// Who runs it gives it memory: a Program gives buffers of its own, a control instruction a part of
// the memory of the Executable that it belongs to. Threads may run one at once, each with a Frame.
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

  // One run's Views and the addresses that they come from.
  struct Frame {
    Graph::List<char*> bases;  // of storages
    Graph::List<char*> slots;  // of what is written
    Graph::List<View> views;
    Graph::List<Attr> attrs;     // of random ops: their place in the stream changes
    Graph::List<int64_t> drawn;  // where random ops were in their streams in this run
    std::vector<std::unique_ptr<ControlFrame>> controls;
  };
  std::unique_ptr<Frame> make_frame() const;
  // Takes the addresses over once `bases` are set, except those of storages that are not there yet.
  void bind(Frame& frame) const;
  // Runs the instructions. Pre: bound.
  void run(Frame& frame) const;
  // Values that were not made in the memory of their slot go there.
  void move_writes(Frame& frame) const;

  const Graph& graph() const { return graph_; }
  const MemoryLayout& layout() const { return layout_; }
  size_t num_instructions() const { return instructions_.size(); }
  int64_t bytes() const;
  // What step `i` of the layout, and what a node of it, is called.
  std::string name_of(int32_t i) const;
  std::string name_of(const Node& node) const;
  // Its loops, those inside others too.
  void add_loops(std::vector<PlannedLoop>& loops) const;
  // "model.py:12"; empty when it is not known.
  std::string line_of(const Node& node) const;

 private:
  // A step of the layout; of kernels, products and controls also what they are called with.
  struct Instruction {
    Step::Kind kind;
    const Step* step;
    const DirectLoop* loop = nullptr;  // the step's, at hand: it takes a few nanoseconds
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
  // What a random op draws.
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
  // The instruction's attributes with its place in the stream; `own` is room for them.
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
