// The loops that elementwise functions of one element run in, compiled for each target.
//
// A function is a struct with a static `call`; In and Out are the element types.
#if defined(PENSTOCK_KERNELS_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_LOOPS_INL_H_
#undef PENSTOCK_KERNELS_LOOPS_INL_H_
#else
#define PENSTOCK_KERNELS_LOOPS_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <typename Function, typename In, typename Out = In>
HWY_ATTR void unary(const void* x_data, void* out_data, int64_t n) {
  const In* x = static_cast<const In*>(x_data);
  Out* out = static_cast<Out*>(out_data);
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i]);
}

// At least one stride is 1.
template <typename Function, typename In, typename Out = In>
HWY_ATTR void binary(const void* x_data, const void* y_data, void* out_data, int64_t n,
                     int stride_x, int stride_y) {
  const In* x = static_cast<const In*>(x_data);
  const In* y = static_cast<const In*>(y_data);
  Out* out = static_cast<Out*>(out_data);
  if (stride_x == 0) {
    const In left = *x;
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Function::call(left, y[i]);
  } else if (stride_y == 0) {
    const In right = *y;
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i], right);
  } else {
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i], y[i]);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
