// Function: op calls recorded once by a Trace (exec/trace.h), planned and run as a whole.
//
//   Function f = trace.finish({x * x});
//   Tensor y = f({a})[0];
//
// Memory is laid out before anything runs; plan() describes it.
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

  // Throws InvalidArgumentError for dtypes or shapes other than those traced; dimensions traced as
  // unknown may have any size. Tapes of this thread record the call; inside another trace it
  // becomes part of that trace.
  Tensors operator()(std::span<const Tensor* const> inputs) const;
  Tensors operator()(std::span<const Tensor> inputs) const;
  Tensors operator()(std::initializer_list<Tensor> inputs) const {
    return (*this)(std::span<const Tensor>(inputs.begin(), inputs.size()));
  }

  // The function for inputs of these shapes, if some traced shapes are unknown: retraced with the
  // known sizes. Calls do this themselves and cache the last few.
  Function at(std::span<const Shape> shapes) const;
  // Whether all input shapes are known.
  bool has_known_inputs() const;
  // Whether it is planned as a whole: no size depends on data, and nothing calls the host.
  bool is_planned() const;

  const std::string& name() const;
  size_t num_inputs() const;
  size_t num_outputs() const;
  std::vector<Variable> variables() const;
  // Whether a call assigns to any of them.
  bool assigns() const;
  MemoryPlan plan() const;
  // The plan's peak, without the rest of the plan.
  int64_t peak_bytes() const;
  // Shrinks the plan to at most `bytes` by keeping fewer loop states for gradients. Returns false,
  // and changes nothing, if that is not enough.
  bool fit(int64_t bytes) const;
  // The smallest peak that fit() can reach.
  int64_t least_peak_bytes() const;
  size_t num_instructions() const;
  // The graph, one line per node.
  std::string text() const;
  // Bytes of the function itself: its graph, constants and instructions.
  int64_t bytes() const;
  // True when it uses tensors of a function that is being traced: then it is usable only there.
  bool has_captures() const;
  // Makes those tensors ordinary inputs, after the others, and returns them. Pre: not called yet.
  std::vector<Tensor> captures_as_inputs() const;
  // The dtype and shape of an output, as far as it is known.
  DType output_dtype(size_t i) const;
  Shape output_shape(size_t i) const;
  // Whether two calls with the same inputs may differ, or a call has effects: it draws random
  // numbers, calls the host or assigns to variables.
  bool is_stateful() const;
  // The same function with random streams of its own, which begin anew.
  Function with_own_draws() const;

  // For the layers below the API.
  explicit Function(std::shared_ptr<exec::FunctionState> state) : state_(std::move(state)) {}
  exec::FunctionState& state() const { return *state_; }

 private:
  std::shared_ptr<exec::FunctionState> state_;
};

}  // namespace penstock
