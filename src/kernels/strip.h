// Strips: several formulas of one dtype in one loop, a few vectors of elements at a time.
//
// What runs is a list of steps over one value at hand, which stays in registers: a step loads it,
// combines it with an operand, applies a function to it, or stores it. So an intermediate costs no
// memory traffic at all, or that of a piece of a few vectors (a buffer) when it is needed again.
// Every step computes what the op's own loop computes, to the bit.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/formula.h"

namespace penstock::kernels {

inline constexpr int kMostStripBuffers = 24;
inline constexpr int kMostStripOperands = 32;
// Rows shorter than this are better done without strips.
inline constexpr int64_t kLeastStripRow = 128;

struct StripStep {
  enum class Code : uint8_t;
  Code code;
  int16_t operand = 0;        // or, below 0, buffer -1 - operand
  UnaryLoop unary = nullptr;  // steps that call a loop
  BinaryLoop binary = nullptr;
};

// Steps that load the value at hand, store it, apply an op to it, or an op to it and an operand;
// `is_right` says that the value at hand is the op's second argument.
StripStep strip_load(int operand);
StripStep strip_store(int operand);
StripStep strip_unary(const Formula& formula, DType dtype);
StripStep strip_binary(const Formula& formula, DType dtype, int operand, bool is_right);

struct StripOperand {
  enum class Kind : uint8_t {
    kElements,  // one for each
    kRepeated,  // one for all
    kStreamed,  // as kElements, for a result that nobody reads soon: past the caches
  };
  void* data;
  Kind kind = Kind::kElements;
};

// Runs the steps on elements [0, n). Pre: float32 or float64; operands that are stored to are not
// kRepeated. A result may lie exactly on an operand that no step reads after it is stored.
void run_strip(DType dtype, std::span<const StripStep> steps,
               std::span<const StripOperand> operands, int64_t n) noexcept;
// After strips with kStreamed operands, before another thread reads the results.
void finish_streams() noexcept;

}  // namespace penstock::kernels
