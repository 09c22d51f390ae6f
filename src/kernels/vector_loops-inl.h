// The loops that functions of vectors run in (math-inl.h, activations-inl.h), compiled for each
// target. Such a function is a struct with a static `call`, which takes a Highway tag and a vector
// for each operand, of float or double.
#if defined(PENSTOCK_KERNELS_VECTOR_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_VECTOR_LOOPS_INL_H_
#undef PENSTOCK_KERNELS_VECTOR_LOOPS_INL_H_
#else
#define PENSTOCK_KERNELS_VECTOR_LOOPS_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#include "kernels/activations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <class Function, typename Element>
HWY_ATTR void unary_vectors(const void* x_data, void* out_data, int64_t n) {
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

template <class D>
HWY_INLINE V<D> load(D d, const T<D>* x, int64_t i, int stride) {
  return stride == 0 ? hn::Set(d, *x) : hn::LoadU(d, x + i);
}

template <class Function, typename Element>
HWY_ATTR void binary_vectors(const void* x_data, const void* y_data, void* out_data, int64_t n,
                             int stride_x, int stride_y) {
  const hn::ScalableTag<Element> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const Element* x = static_cast<const Element*>(x_data);
  const Element* y = static_cast<const Element*>(y_data);
  Element* out = static_cast<Element*>(out_data);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto left = load(d, x, i, stride_x);
    const auto right = load(d, y, i, stride_y);
    hn::StoreU(Function::call(d, left, right), d, out + i);
  }
  if (i == n) return;
  HWY_ALIGN Element left[hn::MaxLanes(d)] = {};
  HWY_ALIGN Element right[hn::MaxLanes(d)] = {};
  const auto rest = static_cast<size_t>(n - i);
  for (size_t k = 0; k < rest; ++k) {
    left[k] = stride_x == 0 ? *x : x[static_cast<size_t>(i) + k];
    right[k] = stride_y == 0 ? *y : y[static_cast<size_t>(i) + k];
  }
  hn::Store(Function::call(d, hn::Load(d, left), hn::Load(d, right)), d, left);
  std::memcpy(out + i, left, rest * sizeof(Element));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
