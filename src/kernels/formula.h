// Formulas: what a kernel computes, as data, for code that fuses several ops into one loop or calls
// the kernel's loop directly.
#pragma once

#include <cstdint>

#include <penstock/core/attr.h>

#include "kernels/binary.h"
#include "kernels/reduction.h"
#include "kernels/scalar_step.h"
#include "kernels/ternary.h"
#include "kernels/unary.h"

namespace penstock {
struct KernelContext;
struct KernelResult;
}  // namespace penstock

namespace penstock::kernels {

struct Epilogue;
// The op's kernel, followed by the epilogue while the elements are in cache.
using ProductFn = KernelResult (*)(const KernelContext&, const Epilogue&);

// Integers that the last operand must not contain.
enum class Refused : uint8_t { kNone, kZero, kNegative };

struct Formula {
  enum class Kind : uint8_t { kUnary, kBinary, kTernary, kCast, kSelect, kReduction, kProduct };
  Kind kind;
  uint8_t which = 0;               // a UnaryOp, BinaryOp, TernaryOp or Reduction
  OwnUnary own_unary = nullptr;    // of UnaryOp::kOwn
  OwnBinary own_binary = nullptr;  // of BinaryOp::kOwn
  ProductFn product = nullptr;     // of kProduct
  // For kProduct: whether calls with these attributes accept an epilogue, whose bias then runs
  // along the output's last axis.
  bool (*takes_epilogue)(Attrs attrs) = nullptr;
  bool is_swapped = false;  // kBinary: the op's second input is the function's first operand
  Refused refused = Refused::kNone;
  const char* problem = nullptr;  // the kernel's error message for a refused value

  UnaryOp unary() const { return static_cast<UnaryOp>(which); }
  BinaryOp binary() const { return static_cast<BinaryOp>(which); }
  TernaryOp ternary() const { return static_cast<TernaryOp>(which); }
  Reduction reduction() const { return static_cast<Reduction>(which); }

  // Whether element i of the result depends only on the operands' elements at i.
  bool is_elementwise() const { return kind < Kind::kReduction; }
  // Whether the kernel checks its last operand, of this dtype, before it starts.
  bool refuses(DType dtype) const { return refused != Refused::kNone && kIntTypes.has(dtype); }
};

constexpr Formula unary_formula(UnaryOp op) {
  return {.kind = Formula::Kind::kUnary, .which = static_cast<uint8_t>(op)};
}
constexpr Formula unary_formula(OwnUnary function) {
  Formula formula = unary_formula(UnaryOp::kOwn);
  formula.own_unary = function;
  return formula;
}
constexpr Formula binary_formula(BinaryOp op, bool is_swapped) {
  return {
      .kind = Formula::Kind::kBinary, .which = static_cast<uint8_t>(op), .is_swapped = is_swapped};
}
constexpr Formula binary_formula(OwnBinary function, bool is_swapped) {
  Formula formula = binary_formula(BinaryOp::kOwn, is_swapped);
  formula.own_binary = function;
  return formula;
}

// The formula of an op in the lists above, or of a function in an op's own file.
template <auto op>
inline constexpr Formula kUnaryFormula = unary_formula(op);
template <auto op, bool is_swapped = false>
inline constexpr Formula kBinaryFormula = binary_formula(op, is_swapped);
template <TernaryOp op>
inline constexpr Formula kTernaryFormula{.kind = Formula::Kind::kTernary,
                                         .which = static_cast<uint8_t>(op)};
inline constexpr Formula kCastFormula{.kind = Formula::Kind::kCast};
inline constexpr Formula kSelectFormula{.kind = Formula::Kind::kSelect};
template <Reduction op>
inline constexpr Formula kReductionFormula{.kind = Formula::Kind::kReduction,
                                           .which = static_cast<uint8_t>(op)};
template <ProductFn product_fn, bool (*takes)(Attrs)>
inline constexpr Formula kProductFormula{
    .kind = Formula::Kind::kProduct, .product = product_fn, .takes_epilogue = takes};

// The loop of an elementwise formula, by kind. Pre: the op accepts these dtypes, of the first input
// and of the output; no strings.
AnyLoop loop_of(const Formula& formula, DType in, DType out) noexcept;

}  // namespace penstock::kernels
