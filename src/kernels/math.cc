// The loops of the functions in math-inl.h and activations-inl.h.
#include "kernels/unary.h"

#define HWY_TARGET_INCLUDE "kernels/math.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/activations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <class Function, typename Element>
HWY_ATTR void loop(const void* x_data, void* out_data, int64_t n) {
  const hn::ScalableTag<Element> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const Element* x = static_cast<const Element*>(x_data);
  Element* out = static_cast<Element*>(out_data);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(Function::call(d, hn::LoadU(d, x + i)), d, out + i);
  }
  if (i == n) return;
  HWY_ALIGN Element rest[hn::MaxLanes(d)] = {};
  const size_t bytes = static_cast<size_t>(n - i) * sizeof(Element);
  std::memcpy(rest, x + i, bytes);
  hn::Store(Function::call(d, hn::Load(d, rest)), d, rest);
  std::memcpy(out + i, rest, bytes);
}

UnaryLoop vector_loop(UnaryOp op, bool is_float) {
  switch (op) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return is_float ? loop<Name, float> : loop<Name, double>;
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
