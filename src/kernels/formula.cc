#include "kernels/formula.h"

#include "kernels/cast.h"
#include "kernels/select.h"

namespace penstock::kernels {

AnyLoop loop_of(const Formula& formula, DType in, DType out) noexcept {
  switch (formula.kind) {
    case Formula::Kind::kUnary:
      return {.unary = formula.own_unary != nullptr ? formula.own_unary(in)
                                                    : unary_loop(formula.unary(), in)};
    case Formula::Kind::kBinary:
      return {.binary = formula.own_binary != nullptr ? formula.own_binary(in)
                                                      : binary_loop(formula.binary(), in)};
    case Formula::Kind::kTernary:
      return {.ternary = ternary_loop(formula.ternary(), in)};
    case Formula::Kind::kCast:
      return {.unary = cast_loop(in, out)};
    case Formula::Kind::kSelect:
      return {.ternary = select_loop(dtype_size(out))};
    default:
      return {};
  }
}

}  // namespace penstock::kernels
