// Function: op calls that a Trace has recorded once (exec/trace.h), planned, and run as a whole.
//
//   Function f = trace.finish({x * x});
//   Tensor y = f({a})[0];
//
// Memory is laid out before anything runs, and plan() says how.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/variable.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

namespace exec {
struct FunctionState;
}

class PEN_API Function {
 public:
  Function() = default;
  bool defined() const { return state_ != nullptr; }

  // Throws InvalidArgumentError for other dtypes or shapes than those traced; dimensions that were
  // traced as unknown may be any. Tapes of this thread
  // record the call; inside another trace it becomes part of that.
  Tensors operator()(std::span<const Tensor* const> inputs) const;
  Tensors operator()(std::span<const Tensor> inputs) const;
  Tensors operator()(std::initializer_list<Tensor> inputs) const {
    return (*this)(std::span<const Tensor>(inputs.begin(), inputs.size()));
  }

  // For inputs of these shapes, where some of those traced are not known: worked out once more with
  // all sizes that there are. Calls do this themselves, and remember the last few.
  Function at(std::span<const Shape> shapes) const;
  // Whether the shapes of inputs are known.
  bool has_known_inputs() const;
  // Whether it is planned as a whole: no sizes depend on data, and nothing calls the host.
  bool is_planned() const;

  const std::string& name() const;
  size_t num_inputs() const;
  size_t num_outputs() const;
  std::vector<Variable> variables() const;
  // Whether a call assigns to any of them.
  bool assigns() const;
  MemoryPlan plan() const;
  // Of the plan, without the rest of it.
  int64_t peak_bytes() const;
  // Makes the plan one of at most so many bytes, where keeping fewer states of loops for their
  // gradients does that; false where it does not, and then nothing changes.
  bool fit(int64_t bytes) const;
  // The least that fit() can do.
  int64_t least_peak_bytes() const;
  size_t num_instructions() const;
  // The graph, one line a node.
  std::string text() const;
  // Bytes that the function itself takes: its graph, constants and instructions.
  int64_t bytes() const;
  // True when it uses tensors of a function that is being traced: it is a part of that one only.
  bool has_captures() const;

  // For the layers below the API.
  explicit Function(std::shared_ptr<exec::FunctionState> state) : state_(std::move(state)) {}
  exec::FunctionState& state() const { return *state_; }

 private:
  std::shared_ptr<exec::FunctionState> state_;
};

}  // namespace penstock
