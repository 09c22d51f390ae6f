// ForwardAccumulator: derivatives along with the values, without a tape.
//
//   ForwardAccumulator forward;
//   forward.watch(x, v);
//   forward.start();
//   Tensor y = x * x;
//   Tensor dy = forward.jvp(y);  // 2 x v
//
// From start() to stop() every op called on this thread whose inputs have tangents gives its
// outputs tangents: the Jacobian times those of the inputs. A tangent is kept as long as the data
// of the tensor that it belongs to. Tangents are worked out with ordinary op calls, which tapes and
// accumulators further out see and those further in do not: so derivatives of any order come out of
// nesting, Hessian-vector products out of an accumulator around a tape.
#pragma once

#include <penstock/autodiff/tape.h>
#include <penstock/base/export.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

class PEN_API ForwardAccumulator {
 public:
  ForwardAccumulator();
  ~ForwardAccumulator();
  ForwardAccumulator(const ForwardAccumulator&) = delete;
  ForwardAccumulator& operator=(const ForwardAccumulator&) = delete;

  // Gives a tensor or a variable a tangent; a second one is added to the first. Throws
  // InvalidArgumentError when it is of another dtype or shape.
  void watch(const Tensor& primal, const Tensor& tangent);
  void watch(const Source& primal, const Tensor& tangent);
  // It is the innermost one of its thread until stop().
  void start();
  void stop();
  // The tangent of a tensor or a variable; not defined where there is none.
  Tensor jvp(const Source& primal) const;

 private:
  autodiff::TapeState* state_;
};

}  // namespace penstock
