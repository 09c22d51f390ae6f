// CompiledFunction: what runs the calls of a function: a Program, or a PartlyPlanned if not
// everything can be planned.
#pragma once

#include <span>

#include <penstock/exec/memory_plan.h>
#include <penstock/ops/op_def.h>

namespace penstock::exec {

class CompiledFunction {
 public:
  virtual ~CompiledFunction() = default;

  // Pre: the inputs have the graph's dtypes and shapes.
  virtual Tensors run(std::span<const Tensor* const> inputs) = 0;
  virtual MemoryPlan plan() const = 0;
  virtual int64_t peak_bytes() const = 0;
  virtual size_t num_instructions() const = 0;
  // Its own memory.
  virtual int64_t bytes() const = 0;
};

}  // namespace penstock::exec
