// The error function, the sigmoid and activations on vectors of float and double, like math-inl.h.
#if defined(PENSTOCK_KERNELS_ACTIVATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PENSTOCK_KERNELS_ACTIVATIONS_INL_H_
#undef PENSTOCK_KERNELS_ACTIVATIONS_INL_H_
#else
#define PENSTOCK_KERNELS_ACTIVATIONS_INL_H_
#endif

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

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

// e^(-x²) t p(t) with t = 3 / (3 + |x|). Below 0 it is 2 minus that, and near 0 it is 1 - erf(x).
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

// 1 - erfc(x), except near 0.
struct Erf {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto size = hn::Abs(x);
    const auto is_far = hn::Gt(size, number(d, sizeof(T<D>) == 4 ? 0.927734375 : 0.5));
    const auto far = hn::CopySign(hn::Sub(number(d, 1), Erfc::of_size(d, size)), x);
    return keep_nan(d, x, hn::IfThenElse(is_far, far, erf_near(d, x)));
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#endif
