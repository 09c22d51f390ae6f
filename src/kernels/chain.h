// Chains: several formulas of one dtype in one loop, a few vectors of elements at a time.
//
// A chain is a list of steps over one current value, which stays in registers: a step loads it,
// combines it with an operand, applies a function to it, or stores it. So an intermediate costs no
// memory traffic at all, or that of a few vectors (a buffer) if it is needed again. Every step
// computes the same bits as the op's own loop.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/formula.h"

namespace penstock::kernels {

inline constexpr int kMostChainBuffers = 24;
inline constexpr int kMostChainOperands = 32;
// Shorter rows are faster without chains.
inline constexpr int64_t kLeastChainRow = 128;

struct ChainStep {
  enum class Code : uint8_t;
  Code code;
  int16_t operand = 0;        // or, below 0, buffer -1 - operand
  UnaryLoop unary = nullptr;  // steps that call a loop
  BinaryLoop binary = nullptr;
};

// Steps that load the current value, store it, apply an op to it, or apply an op to it and an
// operand; with `is_right` the current value is the op's second argument.
ChainStep chain_load(int operand);
ChainStep chain_store(int operand);
ChainStep chain_unary(const Formula& formula, DType dtype);
ChainStep chain_binary(const Formula& formula, DType dtype, int operand, bool is_right);

struct ChainOperand {
  enum class Kind : uint8_t {
    kElements,  // one for each
    kRepeated,  // one for all
    kStreamed,  // as kElements, for a result not read soon: bypasses the caches
  };
  void* data;
  Kind kind = Kind::kElements;
};

// Runs the steps on elements [0, n). Pre: float32 or float64; operands that are stored to are not
// kRepeated. A result may coincide with an operand that no step reads after the store.
void run_chain(DType dtype, std::span<const ChainStep> steps,
               std::span<const ChainOperand> operands, int64_t n) noexcept;
// Call after chains with kStreamed operands, before another thread reads the results.
void finish_streams() noexcept;

}  // namespace penstock::kernels
