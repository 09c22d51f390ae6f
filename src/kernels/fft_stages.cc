#include "kernels/fft_stages.h"

#define HWY_TARGET_INCLUDE "kernels/fft_stages.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
struct Number {
  T re, im;
};
template <typename T>
HWY_INLINE Number<T> operator+(Number<T> a, Number<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
HWY_INLINE Number<T> operator-(Number<T> a, Number<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
HWY_INLINE Number<T> operator*(Number<T> a, Number<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T>
HWY_INLINE Number<T> scaled(Number<T> a, T factor) {
  return {a.re * factor, a.im * factor};
}
// -i · a
template <typename T>
HWY_INLINE Number<T> turned(Number<T> a) {
  return {a.im, -a.re};
}

template <int kRadix, typename T>
HWY_INLINE void butterfly(Number<T> (&a)[kRadix]) {
  if constexpr (kRadix == 2) {
    const Number<T> first = a[0];
    a[0] = first + a[1];
    a[1] = first - a[1];
  } else if constexpr (kRadix == 3) {
    constexpr T kSin = static_cast<T>(0.86602540378443864676);
    const Number<T> sum = a[1] + a[2], turn = turned(scaled(a[1] - a[2], kSin));
    const Number<T> middle = a[0] - scaled(sum, T(0.5));
    a[0] = a[0] + sum;
    a[1] = middle + turn;
    a[2] = middle - turn;
  } else if constexpr (kRadix == 4) {
    const Number<T> even = a[0] + a[2], odd = a[1] + a[3];
    const Number<T> minus = a[0] - a[2], turn = turned(a[1] - a[3]);
    a[0] = even + odd;
    a[1] = minus + turn;
    a[2] = even - odd;
    a[3] = minus - turn;
  } else {
    constexpr T kCos1 = static_cast<T>(0.30901699437494742410);
    constexpr T kCos2 = static_cast<T>(-0.80901699437494742410);
    constexpr T kSin1 = static_cast<T>(0.95105651629515357212);
    constexpr T kSin2 = static_cast<T>(0.58778525229247312917);
    const Number<T> s1 = a[1] + a[4], s2 = a[2] + a[3];
    const Number<T> d1 = a[1] - a[4], d2 = a[2] - a[3];
    const Number<T> m1 = a[0] + scaled(s1, kCos1) + scaled(s2, kCos2);
    const Number<T> m2 = a[0] + scaled(s1, kCos2) + scaled(s2, kCos1);
    const Number<T> t1 = turned(scaled(d1, kSin1) + scaled(d2, kSin2));
    const Number<T> t2 = turned(scaled(d1, kSin2) - scaled(d2, kSin1));
    a[0] = a[0] + s1 + s2;
    a[1] = m1 + t1;
    a[2] = m2 + t2;
    a[3] = m2 - t2;
    a[4] = m1 - t1;
  }
}

// The elements p of one line, when there is only one and no stage was before: p is the inner loop.
template <int kRadix, typename T>
HWY_ATTR void first_stage(const FftStage<T>& s, Split<T> x, Split<T> y) {
  const int64_t parts = s.length / kRadix;
  PEN_INDEPENDENT
  for (int64_t p = 0; p < parts; ++p) {
    Number<T> a[kRadix];
    for (int k = 0; k < kRadix; ++k) a[k] = {x.re[p + parts * k], x.im[p + parts * k]};
    butterfly<kRadix>(a);
    for (int k = 0; k < kRadix; ++k) {
      const Number<T> root{s.roots.re[p * k], s.roots.im[p * k]};
      const Number<T> b = k == 0 ? a[0] : a[k] * root;
      y.re[p * kRadix + k] = b.re;
      y.im[p * kRadix + k] = b.im;
    }
  }
}

template <int kRadix, typename T>
HWY_ATTR void stage_of(const FftStage<T>& s, Split<T> x, Split<T> y) {
  const int64_t inner = s.span * s.lines, parts = s.length / (s.span * kRadix);
  if (inner == 1) return first_stage<kRadix>(s, x, y);
  for (int64_t p = 0; p < parts; ++p) {
    Number<T> roots[kRadix];
    for (int k = 0; k < kRadix; ++k)
      roots[k] = {s.roots.re[p * k * s.span], s.roots.im[p * k * s.span]};
    const T* from_re = x.re + p * inner;
    const T* from_im = x.im + p * inner;
    T* to_re = y.re + p * kRadix * inner;
    T* to_im = y.im + p * kRadix * inner;
    PEN_INDEPENDENT
    for (int64_t q = 0; q < inner; ++q) {
      Number<T> a[kRadix];
      for (int k = 0; k < kRadix; ++k)
        a[k] = {from_re[q + inner * parts * k], from_im[q + inner * parts * k]};
      butterfly<kRadix>(a);
      for (int k = 0; k < kRadix; ++k) {
        const Number<T> b = k == 0 ? a[0] : a[k] * roots[k];
        to_re[q + inner * k] = b.re;
        to_im[q + inner * k] = b.im;
      }
    }
  }
}

// Any small radix, by the definition.
template <typename T>
HWY_ATTR void general_stage(const FftStage<T>& s, Split<T> x, Split<T> y) {
  const int64_t radix = s.radix, inner = s.span * s.lines, parts = s.length / (s.span * radix);
  for (int64_t p = 0; p < parts; ++p) {
    for (int64_t j = 0; j < radix; ++j) {
      T* to_re = y.re + (p * radix + j) * inner;
      T* to_im = y.im + (p * radix + j) * inner;
      for (int64_t q = 0; q < inner; ++q) to_re[q] = to_im[q] = T(0);
      for (int64_t k = 0; k < radix; ++k) {
        const int64_t at = (p * j * s.span + j * k % radix * (s.length / radix)) % s.length;
        const T re = s.roots.re[at], im = s.roots.im[at];
        const T* from_re = x.re + (p + parts * k) * inner;
        const T* from_im = x.im + (p + parts * k) * inner;
        PEN_INDEPENDENT
        for (int64_t q = 0; q < inner; ++q) {
          to_re[q] += from_re[q] * re - from_im[q] * im;
          to_im[q] += from_re[q] * im + from_im[q] * re;
        }
      }
    }
  }
}

template <typename T>
void run(const FftStage<T>& stage, Split<T> x, Split<T> y) {
  switch (stage.radix) {
    case 2:
      return stage_of<2>(stage, x, y);
    case 3:
      return stage_of<3>(stage, x, y);
    case 4:
      return stage_of<4>(stage, x, y);
    case 5:
      return stage_of<5>(stage, x, y);
    default:
      return general_stage(stage, x, y);
  }
}

void run_float(const FftStage<float>& s, Split<float> x, Split<float> y) { run(s, x, y); }
void run_double(const FftStage<double>& s, Split<double> x, Split<double> y) { run(s, x, y); }

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(run_float);
HWY_EXPORT(run_double);

template <>
void run_fft_stage<float>(const FftStage<float>& stage, Split<float> x, Split<float> y) {
  HWY_DYNAMIC_DISPATCH(run_float)(stage, x, y);
}
template <>
void run_fft_stage<double>(const FftStage<double>& stage, Split<double> x, Split<double> y) {
  HWY_DYNAMIC_DISPATCH(run_double)(stage, x, y);
}

}  // namespace penstock::kernels
#endif
