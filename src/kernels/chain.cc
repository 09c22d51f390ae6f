#include "kernels/chain.h"

#include <algorithm>
#include <cstring>

#define HWY_TARGET_INCLUDE "kernels/chain.cc"
#include "kernels/targets.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#ifndef PENSTOCK_KERNELS_CHAIN_CODES
#define PENSTOCK_KERNELS_CHAIN_CODES
namespace penstock::kernels {

// Ops that steps compute directly: a call would cost more than their work. All others call their
// own loop.
#define PEN_CHAIN_UNARY(X) X(Negative) X(Abs) X(Square) X(Sqrt) X(Reciprocal) X(Relu)
#define PEN_CHAIN_BINARY(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Maximum) X(Minimum) X(SquaredDifference) X(ReluGrad)

enum class ChainStep::Code : uint8_t {
  kLoad,
  kStore,
  kCallUnary,
  kCallBinary,
  kCallRight,
#define PEN_UNARY_CODE(Name) k##Name,
#define PEN_BINARY_CODES(Name) k##Name, k##Name##Right,
  PEN_CHAIN_UNARY(PEN_UNARY_CODE) PEN_CHAIN_BINARY(PEN_BINARY_CODES)
#undef PEN_BINARY_CODES
#undef PEN_UNARY_CODE
};

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The same operations as in unary.cc and binary.cc.
#define PEN_CHAIN_FUNCTION(Name, expression) \
  struct Name {                              \
    template <class D, class V>              \
    static HWY_INLINE V call(D d, V x) {     \
      static_cast<void>(d);                  \
      return expression;                     \
    }                                        \
  };
PEN_CHAIN_FUNCTION(Negative, hn::Neg(x))
PEN_CHAIN_FUNCTION(Abs, hn::Abs(x))
PEN_CHAIN_FUNCTION(Square, hn::Mul(x, x))
PEN_CHAIN_FUNCTION(Sqrt, hn::Sqrt(x))
PEN_CHAIN_FUNCTION(Reciprocal, hn::Div(hn::Set(d, 1), x))
PEN_CHAIN_FUNCTION(Relu, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x))
#undef PEN_CHAIN_FUNCTION
#define PEN_CHAIN_FUNCTION(Name, expression)  \
  struct Name {                               \
    template <class D, class V>               \
    static HWY_INLINE V call(D d, V x, V y) { \
      static_cast<void>(d);                   \
      return expression;                      \
    }                                         \
  };
PEN_CHAIN_FUNCTION(Add, hn::Add(x, y))
PEN_CHAIN_FUNCTION(Subtract, hn::Sub(x, y))
PEN_CHAIN_FUNCTION(Multiply, hn::Mul(x, y))
PEN_CHAIN_FUNCTION(Divide, hn::Div(x, y))
PEN_CHAIN_FUNCTION(Maximum, hn::IfThenElse(hn::Or(hn::Gt(x, y), hn::IsNaN(x)), x, y))
PEN_CHAIN_FUNCTION(Minimum, hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(x)), x, y))
PEN_CHAIN_FUNCTION(SquaredDifference, hn::Mul(hn::Sub(x, y), hn::Sub(x, y)))
PEN_CHAIN_FUNCTION(ReluGrad, hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), x))
#undef PEN_CHAIN_FUNCTION

// One statement for each vector of a piece.
constexpr int kVectors = 8;
#define PEN_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

template <typename Element>
struct Machine {
  using D = hn::ScalableTag<Element>;
  static constexpr D d{};
  static constexpr int64_t kPiece = kVectors * static_cast<int64_t>(hn::MaxLanes(d));

  std::span<const ChainStep> steps;
  Element* places[kMostChainOperands];
  int64_t moves[kMostChainOperands];  // elements of the place for one of the chain: 0 or 1
  bool streams[kMostChainOperands];
  HWY_ALIGN Element buffers[kMostChainBuffers + 1][kPiece];  // the last one is for calls
  HWY_ALIGN Element pieces[kMostChainOperands][kPiece];      // repeated, or of the rest

  HWY_ATTR void run(std::span<const ChainOperand> operands, int64_t n) {
    const auto piece = kVectors * static_cast<int64_t>(hn::Lanes(d));
    for (size_t i = 0; i < operands.size(); ++i) {
      Element* const data = static_cast<Element*>(operands[i].data);
      const bool is_repeated = operands[i].kind == ChainOperand::Kind::kRepeated;
      if (is_repeated) std::fill_n(pieces[i], kPiece, *data);
      places[i] = is_repeated ? pieces[i] : data;
      moves[i] = is_repeated ? 0 : 1;
      streams[i] = operands[i].kind == ChainOperand::Kind::kStreamed &&
                   reinterpret_cast<uintptr_t>(data) % (hn::Lanes(d) * sizeof(Element)) == 0;
    }
    const int64_t whole = n / piece * piece;
    for (int64_t i = 0; i < whole; i += piece) run_piece(i);
    if (whole == n) return;
    if (whole > 0 && can_repeat(operands.size())) {  // a piece that ends where the chain does
      std::fill_n(streams, operands.size(), false);
      run_piece(n - piece);
    } else {
      run_rest(operands, whole, n - whole);
    }
  }

  // Whether elements may be computed twice: no result overlaps its own operands.
  bool can_repeat(size_t num_operands) const {
    for (const ChainStep& step : steps) {
      if (step.code != ChainStep::Code::kStore || step.operand < 0) continue;
      for (size_t i = 0; i < num_operands; ++i) {
        if (i != static_cast<size_t>(step.operand) && places[i] == places[step.operand])
          return false;
      }
    }
    return true;
  }

  // Less than a piece: works on copies.
  HWY_ATTR void run_rest(std::span<const ChainOperand> operands, int64_t from, int64_t n) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (moves[i] == 0) continue;
      std::memcpy(pieces[i], places[i] + from, static_cast<size_t>(n) * sizeof(Element));
      std::fill(pieces[i] + n, pieces[i] + kPiece, Element(1));
      places[i] = pieces[i];
      streams[i] = false;
    }
    run_piece(0);
    for (const ChainStep& step : steps) {
      if (step.code != ChainStep::Code::kStore || step.operand < 0) continue;
      const auto to = static_cast<size_t>(step.operand);
      std::memcpy(static_cast<Element*>(operands[to].data) + from, pieces[to],
                  static_cast<size_t>(n) * sizeof(Element));
    }
  }

  HWY_ATTR void run_piece(int64_t at) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    Element* const called = buffers[kMostChainBuffers];
#define PEN_DECLARE(k) auto v##k = hn::Zero(d);
    PEN_EACH(PEN_DECLARE)
#undef PEN_DECLARE
    for (const ChainStep& step : steps) {
      Element* const p = step.operand < 0 ? buffers[-1 - step.operand]
                                          : places[step.operand] + at * moves[step.operand];
      switch (step.code) {
#define PEN_LOAD(k) v##k = hn::LoadU(d, p + k * lanes);
#define PEN_STORE(k) hn::StoreU(v##k, d, p + k * lanes);
#define PEN_STREAM(k) hn::Stream(v##k, d, p + k * lanes);
#define PEN_GIVE(k) hn::Store(v##k, d, called + k * lanes);
#define PEN_TAKE(k) v##k = hn::Load(d, called + k * lanes);
        case ChainStep::Code::kLoad:
          PEN_EACH(PEN_LOAD)
          break;
        case ChainStep::Code::kStore:
          if (step.operand >= 0 && streams[step.operand]) {
            PEN_EACH(PEN_STREAM)
          } else {
            PEN_EACH(PEN_STORE)
          }
          break;
        case ChainStep::Code::kCallUnary:
          PEN_EACH(PEN_GIVE)
          step.unary(called, called, kVectors * lanes);
          PEN_EACH(PEN_TAKE)
          break;
        case ChainStep::Code::kCallBinary:
          PEN_EACH(PEN_GIVE)
          step.binary(called, p, called, kVectors * lanes, 1, 1);
          PEN_EACH(PEN_TAKE)
          break;
        case ChainStep::Code::kCallRight:
          PEN_EACH(PEN_GIVE)
          step.binary(p, called, called, kVectors * lanes, 1, 1);
          PEN_EACH(PEN_TAKE)
          break;
#undef PEN_TAKE
#undef PEN_GIVE
#undef PEN_STREAM
#undef PEN_STORE
#undef PEN_LOAD
#define PEN_UNARY(k) v##k = Op::call(d, v##k);
#define PEN_LEFT(k) v##k = Op::call(d, v##k, hn::LoadU(d, p + k * lanes));
#define PEN_RIGHT(k) v##k = Op::call(d, hn::LoadU(d, p + k * lanes), v##k);
#define PEN_UNARY_CASE(Name)       \
  case ChainStep::Code::k##Name: { \
    using Op = Name;               \
    PEN_EACH(PEN_UNARY)            \
    break;                         \
  }
#define PEN_BINARY_CASES(Name)            \
  case ChainStep::Code::k##Name: {        \
    using Op = Name;                      \
    PEN_EACH(PEN_LEFT)                    \
    break;                                \
  }                                       \
  case ChainStep::Code::k##Name##Right: { \
    using Op = Name;                      \
    PEN_EACH(PEN_RIGHT)                   \
    break;                                \
  }
          PEN_CHAIN_UNARY(PEN_UNARY_CASE)
          PEN_CHAIN_BINARY(PEN_BINARY_CASES)
#undef PEN_BINARY_CASES
#undef PEN_UNARY_CASE
#undef PEN_RIGHT
#undef PEN_LEFT
#undef PEN_UNARY
      }
    }
  }
};
#undef PEN_EACH

template <typename Element>
HWY_ATTR void run(std::span<const ChainStep> steps, std::span<const ChainOperand> operands,
                  int64_t n) {
  Machine<Element> machine;  // its buffers are written before they are read
  machine.steps = steps;
  machine.run(operands, n);
}

void chain(DType dtype, std::span<const ChainStep> steps, std::span<const ChainOperand> operands,
           int64_t n) {
  (dtype == DType::kFloat32 ? run<float> : run<double>)(steps, operands, n);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(chain);

using Code = ChainStep::Code;

}  // namespace

ChainStep chain_load(int operand) { return {Code::kLoad, static_cast<int16_t>(operand)}; }
ChainStep chain_store(int operand) { return {Code::kStore, static_cast<int16_t>(operand)}; }

ChainStep chain_unary(const Formula& formula, DType dtype) {
  switch (formula.unary()) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return {Code::k##Name};
    PEN_CHAIN_UNARY(PEN_CASE)
#undef PEN_CASE
    default:
      return {Code::kCallUnary, 0, loop_of(formula, dtype, dtype).unary, nullptr};
  }
}

ChainStep chain_binary(const Formula& formula, DType dtype, int operand, bool is_right) {
  const auto with = static_cast<int16_t>(operand);
  switch (formula.binary()) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return {is_right ? Code::k##Name##Right : Code::k##Name, with};
    PEN_CHAIN_BINARY(PEN_CASE)
#undef PEN_CASE
    default:
      return {is_right ? Code::kCallRight : Code::kCallBinary, with, nullptr,
              loop_of(formula, dtype, dtype).binary};
  }
}

void run_chain(DType dtype, std::span<const ChainStep> steps,
               std::span<const ChainOperand> operands, int64_t n) noexcept {
  HWY_DYNAMIC_DISPATCH(chain)(dtype, steps, operands, n);
}

void finish_streams() noexcept { hwy::FlushStream(); }

}  // namespace penstock::kernels
#endif
