#include "kernels/scalar.h"

#include "kernels/cast.h"

namespace penstock::kernels {
namespace {

const ScalarStep* next(Scalar* r, const ScalarStep* step) { return step[1].run(r, step + 1); }

const ScalarStep* call_unary(Scalar* r, const ScalarStep* step) {
  step->loop.unary(&r[step->x], &r[step->out], 1);
  return next(r, step);
}
const ScalarStep* call_binary(Scalar* r, const ScalarStep* step) {
  step->loop.binary(&r[step->x], &r[step->y], &r[step->out], 1, 1, 1);
  return next(r, step);
}
const ScalarStep* call_ternary(Scalar* r, const ScalarStep* step) {
  step->loop.ternary(&r[step->x], &r[step->y], &r[step->z], &r[step->out], 1, 1, 1, 1);
  return next(r, step);
}

// Whatever the elements are: all of the register goes along.
const ScalarStep* select(Scalar* r, const ScalarStep* step) {
  r[step->out] = r[r[step->x].get<uint8_t>() != 0 ? step->y : step->z];
  return next(r, step);
}

const ScalarStep* end(Scalar* /*registers*/, const ScalarStep* /*step*/) { return nullptr; }

template <Refused refused, typename T>
const ScalarStep* check(Scalar* r, const ScalarStep* step) {
  const T y = r[step->x].get<T>();
  return (refused == Refused::kZero ? y == 0 : y < 0) ? step : next(r, step);
}

template <Refused refused>
ScalarFn find_check(DType dtype) {
  switch (dtype) {
#define PEN_CASE(T, name) \
  case DType::name:       \
    return check<refused, T>;
    PEN_FOR_EACH_INT(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

ScalarFn own_step(const Formula& formula, DType in, DType out) {
  switch (formula.kind) {
    case Formula::Kind::kUnary:
      return unary_scalar(formula.unary(), in);
    case Formula::Kind::kBinary:
      return binary_scalar(formula.binary(), in);
    case Formula::Kind::kCast:
      return cast_scalar(in, out);
    case Formula::Kind::kSelect:
      return select;
    default:
      return nullptr;
  }
}

ScalarFn calling_step(Formula::Kind kind) {
  switch (kind) {
    case Formula::Kind::kUnary:
    case Formula::Kind::kCast:
      return call_unary;
    case Formula::Kind::kBinary:
      return call_binary;
    default:
      return call_ternary;
  }
}

}  // namespace

ScalarStep scalar_step(const Formula& formula, DType in, DType out) noexcept {
  const ScalarFn own = own_step(formula, in, out);
  if (own != nullptr) return {.run = own};
  return {.run = calling_step(formula.kind), .loop = loop_of(formula, in, out)};
}

ScalarStep scalar_check(const Formula& formula, DType dtype) noexcept {
  return {.run = formula.refused == Refused::kZero ? find_check<Refused::kZero>(dtype)
                                                   : find_check<Refused::kNegative>(dtype)};
}

ScalarStep scalar_end() noexcept { return {.run = end}; }

}  // namespace penstock::kernels
