#include "kernels/special.h"

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>

namespace penstock::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;

// c[0] + c[1] x + …
template <size_t n>
double polynomial(const double (&c)[n], double x) {
  double y = c[n - 1];
  for (size_t i = n - 1; i-- > 0;) y = y * x + c[i];
  return y;
}

// Wichura's rational functions (AS 241). `q` is p - 1/2 and `tail` the lesser of p and 1 - p: each
// is exact where the other has lost its digits.
double normal_quantile(double q, double tail) {
  constexpr double kA[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                           1.9715909503065514427e+3, 1.3731693765509461125e+4,
                           4.5921953931549871457e+4, 6.7265770927008700853e+4,
                           3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double kB[] = {1,
                           4.2313330701600911252e+1,
                           6.8718700749205790830e+2,
                           5.3941960214247511077e+3,
                           2.1213794301586595867e+4,
                           3.9307895800092710610e+4,
                           2.8729085735721942674e+4,
                           5.2264952788528545610e+3};
  constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                           5.76949722146069140550e0,  3.64784832476320460504e0,
                           1.27045825245236838258e0,  2.41780725177450611770e-1,
                           2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kD[] = {1,
                           2.05319162663775882187e0,
                           1.67638483018380384940e0,
                           6.89767334985100004550e-1,
                           1.48103976427480074590e-1,
                           1.51986665636164571966e-2,
                           5.47593808499534494600e-4,
                           1.05075007164441684324e-9};
  constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                           1.78482653991729133580e0,  2.96560571828504891230e-1,
                           2.65321895265761230930e-2, 1.24266094738807843860e-3,
                           2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kF[] = {1,
                           5.99832206555887937690e-1,
                           1.36929880922735805310e-1,
                           1.48753612908506148525e-2,
                           7.86869131145613259100e-4,
                           1.84631831751005468180e-5,
                           1.42151175831644588870e-7,
                           2.04426310338993978564e-15};
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double r = std::sqrt(-std::log(tail));
  const double size = r <= 5 ? polynomial(kC, r - 1.6) / polynomial(kD, r - 1.6)
                             : polynomial(kE, r - 5) / polynomial(kF, r - 5);
  return std::copysign(size, q);
}

}  // namespace

double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) return kNaN;
    const double fraction = x - std::round(x);  // of the cotangent, whose period is 1
    return digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double shift = 0;
  for (; x < 10; x += 1) shift += 1 / x;
  if (std::isinf(x)) return x;
  constexpr double kSeries[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double w = 1 / (x * x);
  return std::log(x) - 0.5 / x - w * polynomial(kSeries, w) - shift;
}

double erfinv(double x) {
  if (!(std::abs(x) <= 1)) return kNaN;
  if (std::abs(x) == 1) return std::copysign(kInfinity, x);
  return normal_quantile(x / 2, (1 - std::abs(x)) / 2) / std::numbers::sqrt2;
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  return normal_quantile(p - 0.5, p < 0.5 ? p : 1 - p);
}

// Rybicki's sum of shifted bells; a power series near 0 and an asymptotic one far out.
double dawsn(double x) {
  const double size = std::abs(x);
  if (std::isnan(x)) return x;
  if (size < 0.3) {
    double term = x;
    double sum = x;
    for (int k = 1; k < 20; ++k) {
      term *= -2 * x * x / (2 * k + 1);
      sum += term;
    }
    return sum;
  }
  if (size > 100) {
    const double w = 1 / (2 * x * x);
    return (1 + w * (1 + w * (3 + w * (15 + w * 105)))) / (2 * x);
  }
  constexpr double kStep = 0.25;  // exact to e^-(π / 2 kStep)²
  const double nearest = 2 * std::round(size / (2 * kStep));
  const double rest = size - nearest * kStep;
  double sum = 0;
  for (int n = 1; n < 28; n += 2) {
    const double right = std::exp(-(rest - n * kStep) * (rest - n * kStep)) / (nearest + n);
    const double left = std::exp(-(rest + n * kStep) * (rest + n * kStep)) / (nearest - n);
    sum += right + left;
  }
  return std::copysign(sum * std::numbers::inv_sqrtpi, x);
}

double expint(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x;
  if (x > 40) {
    double term = 1;
    double sum = 1;
    for (int k = 1; k < 40; ++k) {
      const double next = term * k / x;
      if (next >= term) break;
      term = next;
      sum += term;
    }
    return std::exp(x) / x * sum;
  }
  double term = 1;
  double sum = 0;
  for (int k = 1; k < 200; ++k) {
    term *= x / k;
    sum += term / k;
    if (term < sum * kEpsilon / 4) break;
  }
  return std::numbers::egamma + std::log(x) + sum;
}

namespace {

// Division without the standard's handling of infinities, which do not occur here.
std::complex<double> inverse(std::complex<double> z) {
  const double scale = 1 / (z.real() * z.real() + z.imag() * z.imag());
  return {z.real() * scale, -z.imag() * scale};
}
std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// C + iS: a power series near 0, the continued fraction of erfc further out.
std::complex<double> fresnel(double x) {
  const double size = std::abs(x);
  const std::complex<double> i(0, 1);
  if (std::isnan(x)) return {x, x};
  if (size > 1e8) return {std::copysign(0.5, x), std::copysign(0.5, x)};
  const double square = size * size;
  if (size < 1.8) {
    // The terms are (i π x² / 2)^n x / (n! (2n + 1)).
    std::complex<double> term = x;
    std::complex<double> sum = x;
    for (int n = 1; n < 60; ++n) {
      term *= i * (kPi / 2 * square) / static_cast<double>(n);
      sum += term / (2.0 * n + 1);
      if (std::abs(term) < kEpsilon * std::abs(sum)) break;
    }
    return sum;
  }
  std::complex<double> b(1, -kPi * square);
  std::complex<double> c = 1e100;
  std::complex<double> d = 1.0 / b;
  std::complex<double> h = d;
  for (int n = -1, k = 2; k < 200; ++k) {
    n += 2;
    const double a = -n * (n + 1.0);
    b += 4.0;
    d = inverse(a * d + b);
    c = b + a * inverse(c);
    const std::complex<double> factor = product(c, d);
    h = product(h, factor);
    if (std::abs(factor.real() - 1) + std::abs(factor.imag()) < kEpsilon) break;
  }
  h *= std::complex<double>(size, -size);
  // The angle π x² / 2 without the whole turns, which would cost its digits.
  const double turns = std::fmod(square, 4) + std::fma(size, size, -square);
  const double angle = kPi / 2 * turns;
  const std::complex<double> rotation(std::cos(angle), std::sin(angle));
  const std::complex<double> result = std::complex<double>(0.5, 0.5) * (1.0 - rotation * h);
  return x < 0 ? -result : result;
}

}  // namespace

double fresnel_cos(double x) { return fresnel(x).real(); }
double fresnel_sin(double x) { return fresnel(x).imag(); }

// The dilogarithm of 1 - x: turned and mirrored into [1/2, 3/2], and there a series in log x.
double spence(double x) {
  if (!(x >= 0)) return kNaN;
  if (std::isinf(x)) return -x;
  constexpr double kZeta2 = kPi * kPi / 6;
  if (x == 0) return kZeta2;
  if (x < 0.5) return kZeta2 - std::log(x) * std::log1p(-x) - spence(1 - x);
  if (x > 1.5) {
    const double log = std::log(x);
    return -0.5 * log * log - spence(1 / x);
  }
  // With w = log x: -Li2(1 - x) = w + w²/4 + Σ B(2k) w^(2k+1) / (2k+1)!
  constexpr double kSeries[] = {1.0 / 36,
                                -1.0 / 3600,
                                1.0 / 211680,
                                -1.0 / 10886400,
                                1.0 / 526901760,
                                -691.0 / 16999766784000.0,
                                1.0 / 1120863744000.0};
  const double w = std::log(x);
  const double square = w * w;
  return -(w + square / 4 + w * square * polynomial(kSeries, square));
}

}  // namespace penstock::kernels
