// Scalars: formulas on single elements, as a list of steps over registers.
//
// A step computes the same bits as the op's own loop for one element, and jumps to the next step,
// so an op costs about as much as its arithmetic. Functions of a single expression have their own
// steps, made from the same function as the loop (kernels/loops-inl.h); all others call the loop.
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
// Runs the step and those after it. Returns null, or the step that refused its operand.
using ScalarFn = const ScalarStep* (*)(Scalar* registers, const ScalarStep* step);

struct ScalarStep {
  ScalarFn run = nullptr;
  AnyLoop loop = {};             // for steps that call it
  uint16_t x = 0, y = 0, z = 0;  // registers of the operands, in the function's order
  uint16_t out = 0;
};

// A step without its registers. Pre: as for loop_of; elements of at most eight bytes.
ScalarStep scalar_step(const Formula& formula, DType in, DType out) noexcept;
// A step that fails if register x holds a value that the formula refuses. Pre:
// formula.refuses(dtype).
ScalarStep scalar_check(const Formula& formula, DType dtype) noexcept;
// The last step of every list.
ScalarStep scalar_end() noexcept;

// The steps from the files of these functions; null if there is only a loop.
ScalarFn unary_scalar(UnaryOp op, DType dtype) noexcept;
ScalarFn binary_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn compare_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn slow_binary_scalar(BinaryOp op, DType dtype) noexcept;
ScalarFn cast_scalar(DType from, DType to) noexcept;

}  // namespace penstock::kernels
