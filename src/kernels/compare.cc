// Comparisons and logic.
#include "kernels/binary.h"

#define HWY_TARGET_INCLUDE "kernels/compare.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_COMPARE_FUNCTIONS
#define PENSTOCK_KERNELS_COMPARE_FUNCTIONS
namespace penstock::kernels {

#define PEN_COMPARE(Name, types, expression)               \
  struct Name {                                            \
    static constexpr DTypeSet kTypes = types - kHalfTypes; \
    template <typename T>                                  \
    static bool call(T x, T y) {                           \
      return expression;                                   \
    }                                                      \
  };
PEN_COMPARE(Equal, kFixedTypes, x == y)
PEN_COMPARE(NotEqual, kFixedTypes, x != y)
PEN_COMPARE(Less, kRealTypes, x < y)
PEN_COMPARE(LessEqual, kRealTypes, x <= y)
PEN_COMPARE(LogicalAnd, DTypeSet(DType::kBool), x& y)
PEN_COMPARE(LogicalOr, DTypeSet(DType::kBool), x | y)
#undef PEN_COMPARE

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <template <class, typename> class Kind>
typename Kind<Equal, float>::Loop find_fast_op(BinaryOp op, DType dtype) {
  switch (op) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return find_fast<Kind, Name>(dtype);
    PEN_COMPARE_BINARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

BinaryLoop fast_compare_loop(BinaryOp op, DType dtype) { return find_fast_op<Binary>(op, dtype); }
ScalarFn fast_compare_scalar(BinaryOp op, DType dtype) {
  return find_fast_op<BinaryScalar>(op, dtype);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(fast_compare_loop);
HWY_EXPORT(fast_compare_scalar);

ScalarFn bool_scalar(BinaryOp op) {
  using namespace HWY_NAMESPACE;
  switch (op) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return pick<BinaryScalar, Name, bool>();
    PEN_COMPARE_BINARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

BinaryLoop other_loop(BinaryOp op, DType dtype) {
  using namespace HWY_NAMESPACE;
  switch (op) {
#define PEN_CASE(Name)    \
  case BinaryOp::k##Name: \
    return find_other<Binary, Name>(dtype);
    PEN_COMPARE_BINARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

}  // namespace

BinaryLoop compare_loop(BinaryOp op, DType dtype) noexcept {
  const BinaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_compare_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

ScalarFn compare_scalar(BinaryOp op, DType dtype) noexcept {
  if (dtype == DType::kBool) return bool_scalar(op);
  return HWY_DYNAMIC_DISPATCH(fast_compare_scalar)(op, dtype);
}

}  // namespace penstock::kernels
#endif
