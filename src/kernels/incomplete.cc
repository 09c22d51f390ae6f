// Incomplete gamma and beta functions, and the zeta function.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>

#include "kernels/special.h"

namespace penstock::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = std::numeric_limits<double>::min() / kEpsilon;
constexpr int kMaxSteps = 20000;

// A number with its derivative: series and fractions are written once for both.
struct Dual {
  double value = 0;
  double slope = 0;
  Dual(double v, double s = 0) : value(v), slope(s) {}
};
Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
Dual operator/(Dual a, Dual b) {
  const double value = a.value / b.value;
  return {value, (a.slope - value * b.slope) / b.value};
}
double size_of(double x) { return std::abs(x); }
double size_of(Dual x) { return std::abs(x.value) + std::abs(x.slope); }
double value_of(double x) { return x; }
double value_of(Dual x) { return x.value; }

// x^a e^-x / Γ(a + 1). For large a from Stirling's formula: its parts are huge and nearly cancel.
double gamma_weight(double a, double x) {
  if (a < 20) return std::exp(a * std::log(x) - x - lgamma(a + 1));
  const double excess = (x - a) / a;
  // log(1 + excess) - excess
  const double exponent =
      std::abs(excess) < 0.5 ? std::log1p(excess) - excess : std::log(x / a) - excess;
  const double w = 1 / (a * a);
  const double stirling = (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w / 1680))) / a;
  return std::exp(a * exponent - stirling) / std::sqrt(2 * std::numbers::pi * a);
}

// Σ x^n / ((a + 1) … (a + n))
template <typename Number>
Number gamma_series(Number a, double x) {
  Number term = 1.0;
  Number sum = 1.0;
  Number below = a;
  for (int n = 0; n < kMaxSteps; ++n) {
    below = below + Number(1.0);
    term = term * Number(x) / below;
    sum = sum + term;
    if (size_of(term) <= kEpsilon / 4 * size_of(sum)) break;
  }
  return sum;
}

// Γ(a, x) e^x x^-a, as Lentz evaluates the fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ….
template <typename Number>
Number gamma_fraction(Number a, double x) {
  Number b = Number(x + 1) - a;
  Number c = 1 / kTiny;
  Number d = Number(1.0) / b;
  Number h = d;
  for (int i = 1; i < kMaxSteps; ++i) {
    const Number factor = Number(-i) * (Number(i) - a);
    b = b + Number(2.0);
    Number below = factor * d + b;
    if (std::abs(value_of(below)) < kTiny) below = kTiny;
    c = b + factor / c;
    if (std::abs(value_of(c)) < kTiny) c = kTiny;
    d = Number(1.0) / below;
    const Number change = c * d;
    h = h * change;
    if (size_of(change - Number(1.0)) <= kEpsilon) break;
  }
  return h;
}

// The complement of igamma for large a, where series and fraction converge slowly: Temme's
// expansion around the normal distribution; two terms suffice from here on.
constexpr double kLarge = 1e6;
double upper_gamma_of_large(double a, double x) {
  const double excess = (x - a) / a;
  const double square = 2 * (excess - std::log1p(excess));
  const double eta = std::copysign(std::sqrt(std::max(square, 0.0)), excess);
  const double correction =
      std::abs(eta) < 1e-3 ? -1.0 / 3 + eta / 12 - 2 * eta * eta / 135 : 1 / excess - 1 / eta;
  const double bell = std::exp(-0.5 * a * square) / std::sqrt(2 * std::numbers::pi * a);
  return 0.5 * std::erfc(eta * std::sqrt(a / 2)) + bell * correction;
}

// The series converges quickly up to about a, the fraction beyond.
bool takes_series(double a, double x) { return x <= 1 || x <= a + 1; }

double lower_gamma(double a, double x) { return gamma_weight(a, x) * gamma_series(a, x); }
double upper_gamma(double a, double x) { return gamma_weight(a, x) * a * gamma_fraction(a, x); }

}  // namespace

double igamma(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return kNaN;
  if (x == 0) return 0;
  if (a == 0) return kNaN;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 0;
  if (std::isinf(x)) return 1;
  if (a > kLarge) return 1 - upper_gamma_of_large(a, x);
  return takes_series(a, x) ? lower_gamma(a, x) : 1 - upper_gamma(a, x);
}

double igammac(double a, double x) {
  if (!(a > 0) || !(x >= 0)) return kNaN;
  if (x == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : 1;
  if (std::isinf(x)) return 0;
  if (a > kLarge) return upper_gamma_of_large(a, x);
  return takes_series(a, x) ? 1 - lower_gamma(a, x) : upper_gamma(a, x);
}

double igamma_grad_a(double a, double x) {
  if (!(a > 0) || !(x >= 0)) return kNaN;
  if (x == 0 || std::isinf(a) || std::isinf(x)) return x == 0 || std::isinf(x) ? 0 : kNaN;
  const double weight = gamma_weight(a, x);
  const Dual variable(a, 1);
  if (takes_series(a, x)) {
    const Dual sum = gamma_series(variable, x);
    return weight * (sum.slope + sum.value * (std::log(x) - digamma(a + 1)));
  }
  const Dual fraction = gamma_fraction(variable, x);
  return -weight * a * (fraction.slope + fraction.value * (std::log(x) - digamma(a)));
}

double random_gamma_grad(double alpha, double sample) {
  if (sample == 0) return 0;
  const double density = gamma_weight(alpha, sample) * alpha / sample;
  return -igamma_grad_a(alpha, sample) / density;
}

// The first terms, and Euler and Maclaurin's formula for the others.
double zeta(double x, double q) {
  if (x == 1) return kInfinity;
  if (!(x > 1) || std::isnan(q)) return kNaN;
  if (q <= 0) {
    const bool is_even = x == std::floor(x) && std::fmod(x, 2) == 0;
    if (q == std::floor(q)) return is_even ? kInfinity : kNaN;
    if (x != std::floor(x)) return kNaN;  // powers of negative numbers
  }
  if (std::isinf(x)) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  if (std::isinf(q)) return 0;
  double sum = 0;
  double at = q;
  for (int i = 0; i < kMaxSteps && (i < 9 || at <= 9); ++i, at += 1) {
    const double term = std::pow(at, -x);
    sum += term;
    if (std::abs(term) < kEpsilon * std::abs(sum)) return sum;
  }
  // (2k)! / B(2k)
  constexpr double kTable[] = {12.0,
                               -720.0,
                               30240.0,
                               -1209600.0,
                               47900160.0,
                               -1.8924375803183791606e9,
                               7.47242496e10,
                               -2.950130727918164224e12,
                               1.1646782814350067249e14,
                               -4.5979787224074726105e15,
                               1.8152105401943546773e17,
                               -7.1661652561756670113e18};
  const double power = std::pow(at, -x);
  sum += power * at / (x - 1) + 0.5 * power;
  double factor = x;
  double scale = power / at;
  for (size_t k = 0; k < std::size(kTable); ++k) {
    const double term = factor * scale / kTable[k];
    sum += term;
    if (std::abs(term) < kEpsilon * std::abs(sum)) break;
    const double next = x + 2 * static_cast<double>(k) + 1;
    factor *= next * (next + 1);
    scale /= at * at;
  }
  return sum;
}

double polygamma(double a, double x) {
  if (!(a >= 0) || a != std::floor(a)) return kNaN;
  if (a == 0) return digamma(x);
  const double factorial = std::exp(lgamma(a + 1));
  return (std::fmod(a, 2) == 0 ? -factorial : factorial) * zeta(a + 1, x);
}

namespace {

// Lentz's evaluation of the continued fraction of the incomplete beta function.
double beta_fraction(double a, double b, double x) {
  const auto safe = [](double y) { return std::abs(y) < kTiny ? kTiny : y; };
  double c = 1;
  double d = 1 / safe(1 - (a + b) * x / (a + 1));
  double h = d;
  for (int m = 1; m < kMaxSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) <= kEpsilon) break;
  }
  return h;
}

}  // namespace

double betainc(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) return kNaN;
  if (x == 0 || x == 1) return x;
  if (std::isinf(a) || std::isinf(b)) return kNaN;
  const double weight =
      std::exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return weight * beta_fraction(a, b, x) / a;
  return 1 - weight * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace penstock::kernels
