// The loops of the functions in math-inl.h and activations-inl.h.
#include "kernels/unary.h"

#define HWY_TARGET_INCLUDE "kernels/math.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

UnaryLoop vector_loop(UnaryOp op, bool is_float) {
  switch (op) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return is_float ? unary_vectors<Name, float> : unary_vectors<Name, double>;
    PEN_VECTOR_UNARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(vector_loop);

UnaryLoop vector_unary_loop(UnaryOp op, DType dtype) noexcept {
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return nullptr;
  return HWY_DYNAMIC_DISPATCH(vector_loop)(op, dtype == DType::kFloat32);
}

}  // namespace penstock::kernels
#endif
