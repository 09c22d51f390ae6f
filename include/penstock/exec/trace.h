// Trace: turns op calls into a Function.
//
//   Trace trace("f");
//   Tensor x = trace.input(DType::kFloat32, {2, 3});
//   Function f = trace.finish({x * x});
//
// While a Trace is open, ops called on its thread do not run but become part of the function.
// Variables stay references: the function reads their values when it is called, and its updates
// happen when it runs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/base/export.h>
#include <penstock/exec/function.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

namespace exec {
struct TraceState;
}

// A symbolic tensor was used outside its function.
class PEN_API OutOfScopeError : public TypeError {
 public:
  using TypeError::TypeError;
};

class PEN_API Trace {
 public:
  // A region is part of the function being traced: a branch, or the body of a loop
  // (exec/control.h). It uses the variables of the surrounding function.
  enum class Kind : uint8_t { kFunction, kRegion };
  explicit Trace(std::string_view name, Kind kind = Kind::kFunction);
  ~Trace();  // discards an unfinished trace
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Dimensions, and the rank, may be unknown.
  Tensor input(DType dtype, const Shape& shape);
  // Ends the trace: a function of the inputs, in their order, with these outputs.
  Function finish(std::span<const Tensor> outputs);
  Function finish(std::initializer_list<Tensor> outputs) {
    return finish(std::span<const Tensor>(outputs.begin(), outputs.size()));
  }
  // Whether ops of this thread are currently traced.
  static bool is_open();

 private:
  void close();
  std::unique_ptr<exec::TraceState> state_;
};

// While it exists, no trace of this thread is open: ops run and are not recorded.
class PEN_API LeaveTraces {
 public:
  LeaveTraces();
  ~LeaveTraces();
  LeaveTraces(const LeaveTraces&) = delete;
  LeaveTraces& operator=(const LeaveTraces&) = delete;

 private:
  PauseRecording pause_;
  exec::TraceState* before_;
};

// The symbolic tensor with its shape merged with `shape`. Throws InvalidArgumentError when the two
// are incompatible.
PEN_API Tensor narrowed(const Tensor& tensor, const Shape& shape);

}  // namespace penstock
