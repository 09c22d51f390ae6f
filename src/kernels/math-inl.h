// Exponential, logarithm and related functions on vectors of float and double, within a few ulps of
// libm for every input, including infinities, NaN and subnormals.
//
// Highway's polynomials hold on part of the range; most structs here add the rest.
#if defined(PENSTOCK_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_MATH_INL_H_
#undef PENSTOCK_KERNELS_MATH_INL_H_
#else
#define PENSTOCK_KERNELS_MATH_INL_H_
#endif

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using T = hn::TFromD<D>;
template <class D>
using V = hn::Vec<D>;

template <class D>
HWY_INLINE V<D> infinity(D d) {
  return hn::Set(d, std::numeric_limits<T<D>>::infinity());
}
template <class D>
HWY_INLINE V<D> number(D d, double value) {
  return hn::Set(d, static_cast<T<D>>(value));
}
template <class D>
HWY_INLINE V<D> keep_nan(D, V<D> x, V<D> y) {
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// c[0] + c[1] u + …, of the degree that the table has.
template <class D, size_t n>
HWY_INLINE V<D> polynomial(D d, V<D> u, const T<D> (&c)[n]) {
  auto y = hn::Set(d, c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) y = hn::MulAdd(y, u, hn::Set(d, c[i]));
  return y;
}

struct Exp {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    if constexpr (sizeof(T<D>) == 4) {
      return keep_nan(d, x, hn::Exp(d, hn::Min(x, number(d, 104))));
    } else {
      // The polynomial's last step overflows before the result does.
      constexpr double kE4 = 54.598150033144236;
      const auto is_large = hn::Gt(x, hn::Set(d, 700.0));
      const auto bounded = hn::Min(x, hn::Set(d, 710.0));
      auto y = hn::Exp(d, hn::Sub(bounded, hn::IfThenElseZero(is_large, hn::Set(d, 4.0))));
      y = hn::IfThenElse(is_large, hn::Mul(y, hn::Set(d, kE4)), y);
      return keep_nan(d, x, y);
    }
  }
};

struct Expm1 {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    constexpr double kLow = sizeof(T<D>) == 4 ? -104 : -740;
    const auto limit = number(d, 80);
    auto y = hn::Expm1(d, hn::Max(hn::Min(x, limit), number(d, kLow)));
    const auto is_large = hn::Gt(x, limit);
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_large))) y = hn::IfThenElse(is_large, Exp::call(d, x), y);
    return keep_nan(d, x, y);
  }
};

struct Log {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto zero = hn::Zero(d);
    auto y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity(d)), y);
    y = hn::IfThenElse(hn::Eq(x, infinity(d)), x, y);
    y = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), y);
    return keep_nan(d, x, y);
  }
};

struct Log1p {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto low = number(d, -1);
    auto y = hn::Log1p(d, x);
    y = hn::IfThenElse(hn::Eq(x, low), hn::Neg(infinity(d)), y);
    y = hn::IfThenElse(hn::Eq(x, infinity(d)), x, y);
    y = hn::IfThenElse(hn::Lt(x, low), hn::NaN(d), y);
    return keep_nan(d, x, y);
  }
};

// Around 0 the series is off by a digit; a window begins with 1 - cos(0).
template <class D>
HWY_INLINE V<D> cos_near(D d, V<D> x) {
  const auto is_one = hn::Lt(hn::Abs(x), number(d, 0x1p-27));
  return hn::IfThenElse(is_one, number(d, 1), hn::Cos(d, x));
}

// The argument reduction is accurate only for small arguments; libm handles the others.
#define PEN_PERIODIC(Name, small, libm)                                       \
  struct Name {                                                               \
    template <class D>                                                        \
    static HWY_INLINE V<D> call(D d, V<D> x) {                                \
      if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), number(d, 30000))))) { \
        return small(d, x);                                                   \
      }                                                                       \
      HWY_ALIGN T<D> lanes[hn::MaxLanes(d)];                                  \
      hn::Store(x, d, lanes);                                                 \
      for (T<D> & lane : lanes) lane = libm(lane);                            \
      return hn::Load(d, lanes);                                              \
    }                                                                         \
  };
PEN_PERIODIC(Sin, hn::Sin, std::sin)
PEN_PERIODIC(Cos, cos_near, std::cos)
#undef PEN_PERIODIC

// NaN outside [-1, 1].
#define PEN_BOUNDED(Name)                                                            \
  struct Name {                                                                      \
    template <class D>                                                               \
    static HWY_INLINE V<D> call(D d, V<D> x) {                                       \
      const auto is_outside = hn::Gt(hn::Abs(x), number(d, 1));                      \
      return keep_nan(d, x, hn::IfThenElse(is_outside, hn::NaN(d), hn::Name(d, x))); \
    }                                                                                \
  };
PEN_BOUNDED(Asin)
PEN_BOUNDED(Acos)
#undef PEN_BOUNDED

struct Atan {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return keep_nan(d, x, hn::Atan(d, x));
  }
};

// Half of e^|x|, also where e^|x| itself is too large.
template <class D>
HWY_INLINE V<D> half_exp(D d, V<D> x) {
  const auto root = Exp::call(d, hn::Mul(hn::Abs(x), number(d, 0.5)));
  return hn::Mul(hn::Mul(root, number(d, 0.5)), root);
}

struct Sinh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto limit = number(d, 80);
    auto y = hn::Sinh(d, hn::Max(hn::Min(x, limit), hn::Neg(limit)));
    const auto is_large = hn::Gt(hn::Abs(x), limit);
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_large))) {
      y = hn::IfThenElse(is_large, hn::CopySign(half_exp(d, x), x), y);
    }
    return keep_nan(d, x, y);
  }
};

struct Cosh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto limit = number(d, 80);
    const auto half = number(d, 0.5);
    const auto e = Exp::call(d, hn::Min(hn::Abs(x), limit));
    auto y = hn::MulAdd(e, half, hn::Div(half, e));
    const auto is_large = hn::Gt(hn::Abs(x), limit);
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_large))) y = hn::IfThenElse(is_large, half_exp(d, x), y);
    return keep_nan(d, x, y);
  }
};

// For float an odd rational function, within 6 units in the last place. It passes 1 a little before
// the bound, from where on the result is 1.
struct Tanh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    if constexpr (sizeof(T<D>) == 4) {
      constexpr float kAbove[] = {1.0f, 0.133747712f, 0.00348816044f, 2.04868611e-5f,
                                  1.3185276e-8f};
      constexpr float kBelow[] = {1.0f, 0.467080861f, 0.0258487221f, 0.000327348796f,
                                  7.70724114e-7f};
      const auto size = hn::Min(hn::Abs(x), hn::Set(d, 9.29f));
      const auto square = hn::Mul(size, size);
      const auto above = hn::Mul(size, polynomial(d, square, kAbove));
      const auto y = hn::Div(above, polynomial(d, square, kBelow));
      return keep_nan(d, x, hn::CopySign(hn::Min(y, number(d, 1)), x));
    } else {
      return keep_nan(d, x, hn::Tanh(d, x));
    }
  }
};

struct Asinh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto is_infinite = hn::Eq(hn::Abs(x), infinity(d));
    return keep_nan(d, x, hn::IfThenElse(is_infinite, x, hn::Asinh(d, x)));
  }
};

struct Acosh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    auto y = hn::Acosh(d, x);
    y = hn::IfThenElse(hn::Eq(x, infinity(d)), x, y);
    y = hn::IfThenElse(hn::Lt(x, number(d, 1)), hn::NaN(d), y);
    return keep_nan(d, x, y);
  }
};

struct Atanh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto one = number(d, 1);
    auto y = hn::Atanh(d, x);
    y = hn::IfThenElse(hn::Eq(hn::Abs(x), one), hn::CopySign(infinity(d), x), y);
    y = hn::IfThenElse(hn::Gt(hn::Abs(x), one), hn::NaN(d), y);
    return keep_nan(d, x, y);
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
