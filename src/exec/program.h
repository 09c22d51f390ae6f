// Program: a graph made ready to run. Its instructions are in order, every value has its place, and
// a run does nothing but call kernels: no allocation, no lock, no look-up per instruction.
//
// Threads may run one Program at once: each run has a frame of its own (the Views with their
// addresses) and an arena of its own. Variables that it updates are held for the whole run.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/epilogues.h"
#include "exec/layout.h"
#include "exec/loop_call.h"
#include "exec/runner.h"
#include "graph/graph.h"

namespace penstock::exec {

class Program final : public Runner {
 public:
  // Keeps references to the graph and the variables: they live as long as the program.
  Program(const Graph& graph, std::span<const Variable> variables, std::string_view name);
  ~Program() override;

  Tensors run(std::span<const Tensor* const> inputs) override;
  MemoryPlan plan() const override;
  int64_t peak_bytes() const override { return layout_.arena_bytes + output_bytes(); }
  size_t num_instructions() const override { return instructions_.size(); }
  int64_t bytes() const override;

 private:
  struct Instruction {
    KernelFn kernel;  // null: see below
    const OpDef* op;
    Attrs attrs;
    int32_t first_view;  // inputs, then outputs
    int32_t num_inputs, num_outputs;
    int32_t scratch;  // storage, or kNoIndex
    int32_t stream;   // of random numbers, or kNoIndex
    int32_t scalars;  // the layout's scalars that it runs instead of a kernel, or kNoIndex
    int32_t tiled;    // the layout's tiles that it runs instead of a kernel, or kNoIndex
    int32_t call;     // the loop that it calls at once, or kNoIndex
    int32_t product;  // the product that it runs with its epilogue, or kNoIndex
  };
  struct ViewPlace {
    int32_t storage;
    int64_t offset;
  };
  struct Frame;
  // Where a random op's next run goes on in its stream.
  struct Stream {
    int32_t attr;   // the op's `skip`
    int64_t steps;  // of one run
    std::atomic<int64_t> next{0};
    std::atomic<uint64_t> epoch{0};  // of the global seed that `next` belongs to
    Stream(int32_t an_attr, int64_t some_steps) : attr(an_attr), steps(some_steps) {}
  };
  class Held;

  bool is_copied(ValueId output) const;
  int64_t output_bytes() const;
  void add_instruction(int32_t i);
  void add_group(int32_t i);
  void add_call(const LoopCall& call);
  int32_t add_stream(const Node& node);
  std::unique_ptr<Frame> take_frame();
  void give_frame(std::unique_ptr<Frame> frame);
  void execute(Frame& frame);
  void execute_group(const Instruction& instruction, Frame& frame) const;
  KernelResult execute_product(const Instruction& instruction, const KernelContext& context) const;
  std::string name_of(int32_t i) const;
  void finish_writes(Frame& frame);
  Tensor output_tensor(ValueId output, std::span<const Tensor* const> inputs,
                       std::span<const BufferRef> buffers, const Frame& frame) const;

  const Graph& graph_;
  std::span<const Variable> variables_;
  ledger::Owner owner_;
  Layout layout_;
  std::vector<Instruction> instructions_;
  std::vector<LoopCall> calls_;
  std::vector<ProductStep> products_;
  std::vector<View> views_;        // without addresses
  std::vector<ViewPlace> places_;  // of views_
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<int32_t> read_slots_, written_slots_;  // the latter in the order of variables' ids
  std::mutex mutex_;                                 // guards spare_
  std::vector<std::unique_ptr<Frame>> spare_;
};

}  // namespace penstock::exec
