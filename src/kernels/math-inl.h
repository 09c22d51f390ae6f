// Exponential, logarithm and their kin on vectors of float and double, within a few units in the
// last place of libm for every input, infinities, NaN and subnormals included.
//
// Highway's polynomials hold on a part of the line; most structs here add the rest.
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

// The reduction of the argument is exact enough for small ones only; libm does the others.
#define PEN_PERIODIC(Name, libm)                                              \
  struct Name {                                                               \
    template <class D>                                                        \
    static HWY_INLINE V<D> call(D d, V<D> x) {                                \
      if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), number(d, 30000))))) { \
        return hn::Name(d, x);                                                \
      }                                                                       \
      HWY_ALIGN T<D> lanes[hn::MaxLanes(d)];                                  \
      hn::Store(x, d, lanes);                                                 \
      for (T<D> & lane : lanes) lane = libm(lane);                            \
      return hn::Load(d, lanes);                                              \
    }                                                                         \
  };
PEN_PERIODIC(Sin, std::sin)
PEN_PERIODIC(Cos, std::cos)
#undef PEN_PERIODIC

// Not a number outside of [-1, 1].
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

struct Tanh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return keep_nan(d, x, hn::Tanh(d, x));
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

// From e^-|x|, which never overflows, so that both tails keep their precision.
struct Sigmoid {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto one = number(d, 1);
    const auto e = Exp::call(d, hn::Neg(hn::Abs(x)));
    const auto y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
    return keep_nan(d, x, y);
  }
};

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
struct Softplus {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto rest = hn::Log1p(d, Exp::call(d, hn::Neg(hn::Abs(x))));
    return keep_nan(d, x, hn::Add(hn::Max(x, hn::Zero(d)), rest));
  }
};

struct Elu {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), Expm1::call(d, hn::Min(x, hn::Zero(d))), x);
  }
};

struct Selu {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto scale = number(d, 1.0507009873554804934193349852946);
    const auto scale_alpha = number(d, 1.7580993408473768599402175208123);
    const auto below = hn::Mul(scale_alpha, Expm1::call(d, hn::Min(x, hn::Zero(d))));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), below, hn::Mul(scale, x));
  }
};

// e^(-x²): the square is split, because its rounding would cost most digits of the result.
template <class D>
HWY_INLINE V<D> exp_of_negative_square(D d, V<D> x) {
  const hn::RebindToUnsigned<D> bits;
  using Word = hn::TFromD<decltype(bits)>;
  constexpr Word kUpper = sizeof(T<D>) == 4 ? static_cast<Word>(~Word{0xFFF})
                                            : static_cast<Word>(~((uint64_t{1} << 27) - 1));
  const auto high = hn::BitCast(d, hn::And(hn::BitCast(bits, x), hn::Set(bits, kUpper)));
  const auto rest = hn::Mul(hn::Sub(x, high), hn::Add(x, high));
  constexpr T<D> kSeries[] = {1, -1, T<D>(0.5), T<D>(-1.0 / 6), T<D>(1.0 / 24), T<D>(-1.0 / 120)};
  return hn::Mul(Exp::call(d, hn::Neg(hn::Mul(high, high))), polynomial(d, rest, kSeries));
}

// The error function near 0: an odd polynomial.
template <class D>
HWY_INLINE V<D> erf_near(D d, V<D> x) {
  const auto square = hn::Mul(x, x);
  if constexpr (sizeof(T<D>) == 4) {
    constexpr float kTable[] = {1.28379166e-1f,  -3.76125336e-1f, 1.12819925e-1f,
                                -2.67681349e-2f, 4.99119423e-3f,  -5.96761703e-4f};
    return hn::MulAdd(polynomial(d, square, kTable), x, x);
  } else {
    constexpr double kTable[] = {
        0.1283791670955126,      -0.37612638903183754,    0.11283791670955123,
        -0.026866170645130034,   0.005223977625403192,    -0.0008548327016159163,
        0.00012055332131175981,  -1.4925586560096415e-05, 1.6459034327218912e-06,
        -1.6273138761686977e-07, 1.3214378238338438e-08};
    return hn::MulAdd(polynomial(d, square, kTable), x, x);
  }
}

// e^(-x²) t p(t) with t = 3 / (3 + |x|); below 0 what is left of 2, and near 0 of 1.
struct Erfc {
  template <class D>
  static HWY_INLINE V<D> of_size(D d, V<D> size) {
    constexpr bool kIsFloat = sizeof(T<D>) == 4;
    const auto bounded = hn::Min(size, number(d, kIsFloat ? 11 : 28));  // 0 from there on
    const auto t = hn::Div(number(d, 3), hn::Add(bounded, number(d, 3)));
    V<D> p;
    if constexpr (kIsFloat) {
      constexpr float kTable[] = {0.43124229770663663f,    0.31012136423974623f,
                                  0.16983561067268202f,    0.06867859317990335f,
                                  0.01858943016242079f,    0.002207633248742708f,
                                  -0.0004863721186744625f, -0.00020826797448405377f,
                                  7.087863990989852e-06f,  1.2624645474877793e-05f};
      p = polynomial(d, hn::MulSub(t, number(d, 28.0 / 11), number(d, 17.0 / 11)), kTable);
    } else {
      constexpr double kTable[] = {
          0.38843880552671095,     0.30312258341190373,     0.18690947387380244,
          0.08823169298471203,     0.029337551840641806,    0.0051101598503114016,
          -0.0006133075969125256,  -0.0005483850362428658,  -3.944777102153889e-05,
          4.8287729527092985e-05,  7.932230457076397e-06,   -5.052427417498031e-06,
          -9.437700919536046e-07,  6.529126208438629e-07,   8.088778436295477e-08,
          -9.50107117576998e-08,   -1.44577145460212e-10,   1.3611875981765829e-08,
          -2.0586987189252414e-09, -1.6243350155569064e-09, 5.209694770972614e-10,
          1.1598230122373813e-10,  -5.7290461231647405e-11};
      p = polynomial(d, hn::MulSub(t, number(d, 31.0 / 14), number(d, 17.0 / 14)), kTable);
    }
    return hn::Mul(exp_of_negative_square(d, bounded), hn::Mul(t, p));
  }
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto y = of_size(d, hn::Abs(x));
    const auto is_negative = hn::Lt(x, hn::Zero(d));
    const auto far = hn::IfThenElse(is_negative, hn::Sub(number(d, 2), y), y);
    const auto near = hn::Sub(number(d, 1), erf_near(d, x));
    const auto is_near = hn::Lt(hn::Abs(x), number(d, 0.5));
    return keep_nan(d, x, hn::IfThenElse(is_near, near, far));
  }
};

// What the rest leaves of 1, except near 0.
struct Erf {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto size = hn::Abs(x);
    const auto is_far = hn::Gt(size, number(d, sizeof(T<D>) == 4 ? 0.927734375 : 0.5));
    const auto far = hn::CopySign(hn::Sub(number(d, 1), Erfc::of_size(d, size)), x);
    return keep_nan(d, x, hn::IfThenElse(is_far, far, erf_near(d, x)));
  }
};

// x times the probability that a normal number is below x.
struct Gelu {
  template <class D>
  static HWY_INLINE V<D> probability(D d, V<D> x) {
    constexpr double kRootHalf = 0.70710678118654752440;
    return hn::Mul(number(d, 0.5), Erfc::call(d, hn::Mul(x, number(d, -kRootHalf))));
  }
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return hn::Mul(x, probability(d, x));
  }
};

struct GeluTanh {
  static constexpr double kScale = 0.79788456080286535588;  // √(2/π)
  static constexpr double kCube = 0.044715;
  template <class D>
  static HWY_INLINE V<D> tanh(D d, V<D> x) {
    const auto cube = hn::Mul(hn::Mul(x, x), x);
    return Tanh::call(d, hn::Mul(number(d, kScale), hn::MulAdd(number(d, kCube), cube, x)));
  }
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return hn::Mul(hn::Mul(number(d, 0.5), x), hn::Add(number(d, 1), tanh(d, x)));
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
