// Trace: how op calls become a Function.
//
//   Trace trace("f");
//   Tensor x = trace.input(DType::kFloat32, {2, 3});
//   Function f = trace.finish({x * x});
//
// While a Trace is open, ops called on its thread are not run but become part of the function.
// Variables keep their places: the function reads what they hold when it is called, and its
// updates happen when it runs.
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

// A symbolic tensor was used outside of the function that it belongs to.
class PEN_API OutOfScopeError : public TypeError {
 public:
  using TypeError::TypeError;
};

class PEN_API Trace {
 public:
  // A region is a part of the function that is being traced: a branch, or the body of a loop
  // (exec/control.h). Variables are then those of the function around it.
  enum class Kind : uint8_t { kFunction, kRegion };
  explicit Trace(std::string_view name, Kind kind = Kind::kFunction);
  ~Trace();  // gives up what was not finished
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Dimensions, and the rank, may be unknown.
  Tensor input(DType dtype, const Shape& shape);
  // Ends the trace: a function of the inputs, in their order, with these outputs.
  Function finish(std::span<const Tensor> outputs);
  Function finish(std::initializer_list<Tensor> outputs) {
    return finish(std::span<const Tensor>(outputs.begin(), outputs.size()));
  }
  // Whether ops of this thread are being traced now.
  static bool is_open();

 private:
  void close();
  std::unique_ptr<exec::TraceState> state_;
};

// No trace of this thread is open while it lasts: ops run, and are not recorded.
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

// The symbolic tensor with what `shape` says besides. Throws InvalidArgumentError when the two do
// not go together.
PEN_API Tensor narrowed(const Tensor& tensor, const Shape& shape);

}  // namespace penstock
