// Functions of one number at a time: libm's, the special ones, and those of complex numbers, whose
// real ones are vectors (math.cc).
#include <cmath>
#include <complex>

#include "kernels/special.h"
#include "kernels/unary.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

namespace penstock::kernels {
namespace {

using namespace HWY_NAMESPACE;

constexpr DTypeSet kRealPlain = DTypeSet(DType::kFloat32) | DType::kFloat64;

struct Tan {
  static constexpr DTypeSet kTypes = kRealPlain | kComplexTypes;
  template <typename T>
  static T call(T x) {
    return std::tan(x);
  }
};
struct Angle {
  static constexpr DTypeSet kTypes = kComplexTypes;
  template <typename T>
  static auto call(T x) {
    return std::arg(x);
  }
};

#define PEN_SPECIAL(Name, function)                \
  struct Name {                                    \
    static constexpr DTypeSet kTypes = kRealPlain; \
    template <typename T>                          \
    static T call(T x) {                           \
      return static_cast<T>(function(x));          \
    }                                              \
  };
PEN_SPECIAL(Lgamma, lgamma)
PEN_SPECIAL(Digamma, digamma)
PEN_SPECIAL(Erfinv, erfinv)
PEN_SPECIAL(Ndtri, ndtri)
PEN_SPECIAL(BesselI0, bessel_i0)
PEN_SPECIAL(BesselI0e, bessel_i0e)
PEN_SPECIAL(BesselI1, bessel_i1)
PEN_SPECIAL(BesselI1e, bessel_i1e)
PEN_SPECIAL(BesselJ0, bessel_j0)
PEN_SPECIAL(BesselJ1, bessel_j1)
PEN_SPECIAL(BesselK0, bessel_k0)
PEN_SPECIAL(BesselK0e, bessel_k0e)
PEN_SPECIAL(BesselK1, bessel_k1)
PEN_SPECIAL(BesselK1e, bessel_k1e)
PEN_SPECIAL(BesselY0, bessel_y0)
PEN_SPECIAL(BesselY1, bessel_y1)
PEN_SPECIAL(Dawsn, dawsn)
PEN_SPECIAL(Expint, expint)
PEN_SPECIAL(FresnelCos, fresnel_cos)
PEN_SPECIAL(FresnelSin, fresnel_sin)
PEN_SPECIAL(Spence, spence)
#undef PEN_SPECIAL

#define PEN_COMPLEX(Name, expression)                 \
  struct Complex##Name {                              \
    static constexpr DTypeSet kTypes = kComplexTypes; \
    template <typename T>                             \
    static T call(T x) {                              \
      return expression;                              \
    }                                                 \
  };
PEN_COMPLEX(Exp, std::exp(x))
PEN_COMPLEX(Expm1, std::exp(x) - T(1))
PEN_COMPLEX(Log, std::log(x))
PEN_COMPLEX(Log1p, std::log(T(1) + x))
PEN_COMPLEX(Sin, std::sin(x))
PEN_COMPLEX(Cos, std::cos(x))
PEN_COMPLEX(Asin, std::asin(x))
PEN_COMPLEX(Acos, std::acos(x))
PEN_COMPLEX(Atan, std::atan(x))
PEN_COMPLEX(Sinh, std::sinh(x))
PEN_COMPLEX(Cosh, std::cosh(x))
PEN_COMPLEX(Tanh, std::tanh(x))
PEN_COMPLEX(Asinh, std::asinh(x))
PEN_COMPLEX(Acosh, std::acosh(x))
PEN_COMPLEX(Atanh, std::atanh(x))
PEN_COMPLEX(Sigmoid, T(1) / (T(1) + std::exp(-x)))
#undef PEN_COMPLEX

UnaryLoop complex_loop(UnaryOp op, DType dtype) {
  switch (op) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return find_other<Unary, Complex##Name>(dtype);
    PEN_CASE(Exp)
    PEN_CASE(Expm1)
    PEN_CASE(Log)
    PEN_CASE(Log1p)
    PEN_CASE(Sin)
    PEN_CASE(Cos)
    PEN_CASE(Asin)
    PEN_CASE(Acos)
    PEN_CASE(Atan)
    PEN_CASE(Sinh)
    PEN_CASE(Cosh)
    PEN_CASE(Tanh)
    PEN_CASE(Asinh)
    PEN_CASE(Acosh)
    PEN_CASE(Atanh)
    PEN_CASE(Sigmoid)
#undef PEN_CASE
    default:
      return nullptr;
  }
}

template <class Function>
UnaryLoop find(DType dtype) {
  const UnaryLoop fast = find_fast<Unary, Function>(dtype);
  return fast != nullptr ? fast : find_other<Unary, Function>(dtype);
}

}  // namespace

UnaryLoop slow_unary_loop(UnaryOp op, DType dtype) noexcept {
  switch (op) {
#define PEN_CASE(Name)   \
  case UnaryOp::k##Name: \
    return find<Name>(dtype);
    PEN_SLOW_UNARY_OPS(PEN_CASE)
#undef PEN_CASE
    default:
      return complex_loop(op, dtype);
  }
}

}  // namespace penstock::kernels
