// Loops for an elementwise function that is defined in its op's file. The file is compiled for each
// target; the part below #if HWY_ONCE is compiled once:
//
//   #define HWY_TARGET_INCLUDE "ops/mish.cc"
//   #include "kernels/targets.h"
//
//   #include "kernels/function-inl.h"
//
//   HWY_BEFORE_NAMESPACE();
//   namespace penstock::kernels::HWY_NAMESPACE {
//
//   struct Mish {
//     template <class D>
//     static HWY_INLINE V<D> call(D d, V<D> x) {
//       return hn::Mul(x, Tanh::call(d, Softplus::call(d, x)));
//     }
//   };
//   PEN_UNARY_LOOPS(mish, Mish)
//
//   }  // namespace penstock::kernels::HWY_NAMESPACE
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   PEN_UNARY_FUNCTION(mish)
//   …  the OpDef, with .cpu = unary_cpu<kernels::mish>
//   #endif
//
// A function of vectors (vector_loops-inl.h) is for float and double. One of elements
// (loops-inl.h) says its dtypes in kTypes, and the compiler vectorises its loop. Half types come
// from float32. Such a function can be fused with other ops, like those in unary.h and binary.h.
#if defined(PENSTOCK_KERNELS_FUNCTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_FUNCTION_INL_H_
#undef PENSTOCK_KERNELS_FUNCTION_INL_H_
#else
#define PENSTOCK_KERNELS_FUNCTION_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/half.h"
#include "kernels/loops-inl.h"
#include "kernels/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

// Null when the function is not for the dtype.
template <class Function>
UnaryLoop find_unary(DType dtype) {
  using D = hn::ScalableTag<float>;
  if constexpr (requires(D d, V<D> x) { Function::call(d, x); }) {
    if (dtype == DType::kFloat32) return unary_vectors<Function, float>;
    return dtype == DType::kFloat64 ? unary_vectors<Function, double> : nullptr;
  } else {
    const UnaryLoop fast = find_fast<Unary, Function>(dtype);
    return fast != nullptr ? fast : find_other<Unary, Function>(dtype);
  }
}
template <class Function>
BinaryLoop find_binary(DType dtype) {
  using D = hn::ScalableTag<float>;
  if constexpr (requires(D d, V<D> x) { Function::call(d, x, x); }) {
    if (dtype == DType::kFloat32) return binary_vectors<Function, float>;
    return dtype == DType::kFloat64 ? binary_vectors<Function, double> : nullptr;
  } else {
    const BinaryLoop fast = find_fast<Binary, Function>(dtype);
    return fast != nullptr ? fast : find_other<Binary, Function>(dtype);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#ifndef PENSTOCK_KERNELS_FUNCTION_ONCE
#define PENSTOCK_KERNELS_FUNCTION_ONCE
namespace penstock::kernels {

template <UnaryLoop (*find)(DType), typename Half>
void unary_half_loop(const void* x, void* out, int64_t n) {
  unary_in_float<Half>(find(DType::kFloat32), x, out, n);
}
template <UnaryLoop (*find)(DType)>
UnaryLoop with_halves(DType dtype) {
  if (!kHalfTypes.has(dtype)) return find(dtype);
  if (find(DType::kFloat32) == nullptr) return nullptr;
  return dtype == DType::kFloat16 ? unary_half_loop<find, float16>
                                  : unary_half_loop<find, bfloat16>;
}

template <BinaryLoop (*find)(DType), typename Half>
void binary_half_loop(const void* x, const void* y, void* out, int64_t n, int stride_x,
                      int stride_y) {
  binary_in_float<Half>(find(DType::kFloat32), x, y, out, n, stride_x, stride_y);
}
template <BinaryLoop (*find)(DType)>
BinaryLoop with_halves(DType dtype) {
  if (!kHalfTypes.has(dtype)) return find(dtype);
  if (find(DType::kFloat32) == nullptr) return nullptr;
  return dtype == DType::kFloat16 ? binary_half_loop<find, float16>
                                  : binary_half_loop<find, bfloat16>;
}

}  // namespace penstock::kernels

// The loops of a function for the target, and for all targets the function that picks one.
#define PEN_UNARY_LOOPS(name, Function) \
  static UnaryLoop name##_loop(DType dtype) { return find_unary<Function>(dtype); }
#define PEN_BINARY_LOOPS(name, Function) \
  static BinaryLoop name##_loop(DType dtype) { return find_binary<Function>(dtype); }
#define PEN_UNARY_FUNCTION(name) PEN_EXPORT_FUNCTION(name, UnaryLoop)
#define PEN_BINARY_FUNCTION(name) PEN_EXPORT_FUNCTION(name, BinaryLoop)
#define PEN_EXPORT_FUNCTION(name, Loop)                                              \
  namespace penstock::kernels {                                                      \
  namespace {                                                                        \
  HWY_EXPORT(name##_loop);                                                           \
  Loop name##_here(DType dtype) { return HWY_DYNAMIC_DISPATCH(name##_loop)(dtype); } \
  Loop name(DType dtype) { return with_halves<name##_here>(dtype); }                 \
  }                                                                                  \
  }
#endif

#endif
