// Scalars: formulas on single elements, as a list of steps over registers.
//
// A step computes what the op's own loop computes for one element, to the bit, and jumps to the
// next step: so an op costs about as much as its arithmetic. Functions of a single expression are
// steps of their own, made from the same function as the loop (kernels/loops-inl.h); all others
// call the loop.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/formula.h"

namespace penstock::kernels {

// A register: one element of up to eight bytes.
struct Scalar {
  alignas(8) char bytes[8];

  template <typename T>
  T get() const {
    static_assert(sizeof(T) <= sizeof(bytes));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  template <typename T>
  void put(T value) {
    static_assert(sizeof(T) <= sizeof(bytes));
    std::memcpy(bytes, &value, sizeof(T));
  }
};

struct ScalarStep;
// Runs the step and those after it, up to the end. Null, or the step that refuses its operand.
using ScalarFn = const ScalarStep* (*)(Scalar* registers, const ScalarStep* step);

struct ScalarStep {
  ScalarFn run = nullptr;
  AnyLoop loop = {};             // of steps that call it
  uint16_t x = 0, y = 0, z = 0;  // registers of the operands, in the order of the function's
  uint16_t out = 0;
};

// A step that is still without its registers. Pre: as for loop_of; elements of at most eight bytes.
ScalarStep scalar_step(const Formula& formula, DType in, DType out) noexcept;
// A step that fails where register x holds what the formula refuses. Pre: formula.refuses(dtype).
ScalarStep scalar_check(const Formula& formula, DType dtype) noexcept;
// What the last step is.
ScalarStep scalar_end() noexcept;

// The steps that the files of these functions make; null where there is only a loop to call.
ScalarFn unary_scalar(UnaryOp op, DType dtype) noexcept;
ScalarFn binary_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn compare_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn slow_binary_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn cast_scalar(DType from, DType to) noexcept;

}  // namespace penstock::kernels
