// The loops of elementwise functions, compiled for each target, and their selection by dtype.
//
// A function is a struct with a static `call`, which may return another type than it takes, and
// kTypes, the dtypes it supports. Half types are never among them: they come from float32 (half.h).
// So a new function is a struct and a name in the list of its ops.
#if defined(PENSTOCK_KERNELS_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_LOOPS_INL_H_
#undef PENSTOCK_KERNELS_LOOPS_INL_H_
#else
#define PENSTOCK_KERNELS_LOOPS_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "kernels/broadcast.h"
#include "kernels/independent.h"
#include "kernels/scalar_step.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

template <class Function, typename In>
struct Unary {
  using Loop = UnaryLoop;

  static HWY_ATTR void run(const void* x_data, void* out_data, int64_t n) {
    using Out = decltype(Function::call(In()));
    const In* x = static_cast<const In*>(x_data);
    Out* out = static_cast<Out*>(out_data);
    PEN_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i]);
  }
};

// At least one stride is 1.
template <class Function, typename In>
struct Binary {
  using Loop = BinaryLoop;

  static HWY_ATTR void run(const void* x_data, const void* y_data, void* out_data, int64_t n,
                           int stride_x, int stride_y) {
    using Out = decltype(Function::call(In(), In()));
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
};

// Fast if the last operands are one number for all elements.
template <class Function, typename In>
struct Ternary {
  using Loop = TernaryLoop;

  static HWY_ATTR void run(const void* x_data, const void* y_data, const void* z_data,
                           void* out_data, int64_t n, int stride_x, int stride_y, int stride_z) {
    const In* x = static_cast<const In*>(x_data);
    const In* y = static_cast<const In*>(y_data);
    const In* z = static_cast<const In*>(z_data);
    In* out = static_cast<In*>(out_data);
    if (stride_x == 1 && stride_y == 0 && stride_z == 0) {
      const In second = *y;
      const In third = *z;
      PEN_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i], second, third);
    } else if (stride_x == 1 && stride_y == 1 && stride_z == 0) {
      const In third = *z;
      PEN_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) out[i] = Function::call(x[i], y[i], third);
    } else {
      for (int64_t i = 0; i < n; ++i) {
        out[i] = Function::call(x[i * stride_x], y[i * stride_y], z[i * stride_z]);
      }
    }
  }
};

// The same functions as scalar steps.
template <class Function, typename In>
struct UnaryScalar {
  using Loop = ScalarFn;

  static HWY_ATTR const ScalarStep* run(Scalar* r, const ScalarStep* step) {
    r[step->out].put(Function::call(r[step->x].template get<In>()));
    return step[1].run(r, step + 1);
  }
};
template <class Function, typename In>
struct BinaryScalar {
  using Loop = ScalarFn;

  static HWY_ATTR const ScalarStep* run(Scalar* r, const ScalarStep* step) {
    r[step->out].put(Function::call(r[step->x].template get<In>(), r[step->y].template get<In>()));
    return step[1].run(r, step + 1);
  }
};

template <template <class, typename> class Kind, class Function, typename T>
typename Kind<Function, float>::Loop pick() {
  if constexpr (Function::kTypes.has(kDTypeOf<T>)) {
    return Kind<Function, T>::run;
  } else {
    return nullptr;
  }
}

// The dtypes that get a loop per target, and all others.
#define PEN_FAST_TYPES(X) \
  X(float, kFloat32) X(double, kFloat64) X(int32_t, kInt32) X(int64_t, kInt64)
#define PEN_OTHER_TYPES(X) \
  X(bool, kBool)           \
  X(int8_t, kInt8)         \
  X(int16_t, kInt16)       \
  X(uint8_t, kUInt8)       \
  X(uint16_t, kUInt16)     \
  X(uint32_t, kUInt32)     \
  X(uint64_t, kUInt64)     \
  X(complex64, kComplex64) \
  X(complex128, kComplex128)
#define PEN_PICK(T, dtype) \
  case DType::dtype:       \
    return pick<Kind, Function, T>();

// Null if the function does not support the dtype.
template <template <class, typename> class Kind, class Function>
typename Kind<Function, float>::Loop find_fast(DType dtype) {
  switch (dtype) {
    PEN_FAST_TYPES(PEN_PICK)
    default:
      return nullptr;
  }
}
template <template <class, typename> class Kind, class Function>
typename Kind<Function, float>::Loop find_other(DType dtype) {
  switch (dtype) {
    PEN_OTHER_TYPES(PEN_PICK)
    default:
      return nullptr;
  }
}
#undef PEN_PICK
#undef PEN_OTHER_TYPES
#undef PEN_FAST_TYPES

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
