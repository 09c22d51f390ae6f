// ForwardAccumulator: forward-mode derivatives, computed along with the values, without a tape.
//
//   ForwardAccumulator forward;
//   forward.watch(x, v);
//   forward.start();
//   Tensor y = x * x;
//   Tensor dy = forward.jvp(y);  // 2 x v
//
// From start() to stop(), every op called on this thread whose inputs have tangents gives its
// outputs tangents: the Jacobian times those of the inputs. A tangent lives as long as the data of
// its tensor. Tangents are computed with ordinary op calls. Outer tapes and accumulators see these
// calls, inner ones do not. So nesting gives derivatives of any order, and an accumulator around a
// tape gives Hessian-vector products.
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
  // InvalidArgumentError when its dtype or shape differs.
  void watch(const Tensor& primal, const Tensor& tangent);
  void watch(const Source& primal, const Tensor& tangent);
  // Makes it the innermost accumulator of its thread until stop().
  void start();
  void stop();
  // The tangent of a tensor or a variable; undefined if it has none.
  Tensor jvp(const Source& primal) const;

 private:
  autodiff::TapeState* state_;
};

}  // namespace penstock
