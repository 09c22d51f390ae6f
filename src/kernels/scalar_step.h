// One step of a formula on single elements (kernels/scalar.h runs lists of them).
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/broadcast.h"

namespace penstock::kernels {

// The loop of an elementwise function, over any number of elements.
union AnyLoop {
  UnaryLoop unary;
  BinaryLoop binary;
  TernaryLoop ternary;
};

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

}  // namespace penstock::kernels
