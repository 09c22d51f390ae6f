// Program: a function's executable, with the memory of each call: an arena, buffers for results,
// the caller's tensors and the variables' values.
//
// Threads may run one Program concurrently: each run has its own frame and arena. Variables that it
// updates are locked for the whole run.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <penstock/exec/variable.h>

#include "exec/compiled_function.h"
#include "exec/run/executable.h"
#include "graph/graph.h"

namespace penstock::exec {

class Program final : public CompiledFunction {
 public:
  // Keeps references to the graph and the variables, which must outlive it.
  Program(const Graph& graph, std::span<const Variable> variables, std::string_view name);
  ~Program() override;

  Tensors run(std::span<const Tensor* const> inputs) override;
  MemoryPlan plan() const override;
  int64_t peak_bytes() const override { return layout_.arena_bytes + output_bytes(); }
  size_t num_instructions() const override { return executable_.num_instructions(); }
  int64_t bytes() const override { return executable_.bytes(); }

 private:
  struct Frame;
  struct Memory;
  class Held;

  bool is_copied(ValueId output) const;
  int64_t output_bytes() const;
  std::unique_ptr<Frame> take_frame();
  void give_frame(std::unique_ptr<Frame> frame);
  // The phases of a run: allocate memory, bind addresses and, once it has run, collect the results.
  Memory allocate() const;
  void bind(Frame& frame, const Held& variables, const Memory& memory,
            std::span<const Tensor* const> inputs) const;
  void copy_outputs(const Frame& frame, const Memory& memory) const;
  Tensors collect(std::span<const Tensor* const> inputs, Memory& memory, const Frame& frame) const;
  Tensor output_tensor(ValueId output, std::span<const Tensor* const> inputs,
                       std::span<const BufferRef> buffers, const Frame& frame) const;

  // Parts of the plan.
  PlannedValue planned(const Storage& storage) const;
  void add_loops(MemoryPlan& plan) const;

  const Graph& graph_;
  std::span<const Variable> variables_;
  ledger::Owner owner_;
  Executable executable_;
  const MemoryLayout& layout_;
  std::vector<int32_t> read_slots_, written_slots_;  // the latter by variable id
  std::mutex mutex_;                                 // guards spare_
  std::vector<std::unique_ptr<Frame>> spare_;
};

}  // namespace penstock::exec
