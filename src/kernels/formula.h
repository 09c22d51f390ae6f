// Formulas: what a kernel computes, as data, for those who run several ops in one loop.
#pragma once

#include <cstdint>

#include <penstock/core/attr.h>

#include "kernels/binary.h"
#include "kernels/reduce.h"
#include "kernels/unary.h"

namespace penstock {
struct KernelContext;
struct KernelResult;
}  // namespace penstock

namespace penstock::kernels {

struct Epilogue;
// As the op's kernel, and then the epilogue, while the elements are at hand.
using ProductFn = KernelResult (*)(const KernelContext&, const Epilogue&);

struct Formula {
  enum class Kind : uint8_t { kUnary, kBinary, kReduction, kProduct };
  Kind kind;
  uint8_t which = 0;            // a UnaryOp, BinaryOp or Reduction
  ProductFn product = nullptr;  // of kProduct
  // Of kProduct: whether calls with these attributes take an epilogue, whose bias then goes along
  // the output's last axis.
  bool (*takes_epilogue)(Attrs attrs) = nullptr;

  UnaryOp unary() const { return static_cast<UnaryOp>(which); }
  BinaryOp binary() const { return static_cast<BinaryOp>(which); }
  Reduction reduction() const { return static_cast<Reduction>(which); }
};

template <UnaryOp op>
inline constexpr Formula kUnaryFormula{Formula::Kind::kUnary, static_cast<uint8_t>(op), nullptr,
                                       nullptr};
template <BinaryOp op>
inline constexpr Formula kBinaryFormula{Formula::Kind::kBinary, static_cast<uint8_t>(op), nullptr,
                                        nullptr};
template <Reduction op>
inline constexpr Formula kReductionFormula{Formula::Kind::kReduction, static_cast<uint8_t>(op),
                                           nullptr, nullptr};
template <ProductFn product, bool (*takes_epilogue)(Attrs)>
inline constexpr Formula kProductFormula{Formula::Kind::kProduct, 0, product, takes_epilogue};

}  // namespace penstock::kernels
