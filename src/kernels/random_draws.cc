#include "kernels/random_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <penstock/base/threads.h>

#include "kernels/random_fill.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 256;  // draws a thread should have at least

double load(const View& view, int64_t i) {
  switch (view.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return static_cast<double>(view.as<T>()[i]);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return 0;
  }
}

template <typename T>
T rounded(double value) {
  if constexpr (std::is_integral_v<T>) {
    if (!(value > static_cast<double>(std::numeric_limits<T>::min())))
      return std::numeric_limits<T>::min();
    if (!(value < static_cast<double>(std::numeric_limits<T>::max())))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else if constexpr (sizeof(T) == 8) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

void store(const View& view, int64_t i, double value) {
  switch (view.dtype) {
#define PEN_CASE(T, enumerator)          \
  case DType::enumerator:                \
    view.as<T>()[i] = rounded<T>(value); \
    break;
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      break;
  }
}

// The number as an element of `dtype` has it.
double narrowed(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat16:
      return static_cast<double>(static_cast<float>(float16(static_cast<float>(value))));
    case DType::kFloat32:
      return static_cast<float>(value);
    default:
      return value;
  }
}

// Uniform numbers from blocks; TensorFlow takes the second of the two in a block first.
class Uniforms {
 public:
  double next(PhiloxBlocks& blocks) {
    if (left_ == 0) {
      const PhiloxBlock w = blocks.next();
      pair_[0] = unit_double(w[0], w[1]);
      pair_[1] = unit_double(w[2], w[3]);
      left_ = 2;
    }
    return pair_[--left_];
  }

 private:
  double pair_[2] = {};
  int left_ = 0;
};

// The same for normal numbers.
class Normals {
 public:
  double next(PhiloxBlocks& blocks) {
    if (left_ == 0) {
      const PhiloxBlock w = blocks.next();
      box_muller(unit_double(w[0], w[1]), unit_double(w[2], w[3]), pair_);
      left_ = 2;
    }
    return pair_[--left_];
  }

 private:
  double pair_[2] = {};
  int left_ = 0;
};

// Calls draw(parameter, blocks) for every element of out, which is [samples, parameters]; draw
// `i` has its blocks from 256 i on.
template <typename Draw>
void draw_each(const PhiloxStream& stream, int64_t parameters, int64_t samples, const View& out,
               const Draw& draw) {
  parallel_for(parameters * samples, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t parameter = i / samples;
      PhiloxBlocks blocks{stream.without(static_cast<uint64_t>(i * kBlocksPerNumber))};
      store(out, (i % samples) * parameters + parameter, draw(parameter, i, blocks));
    }
  });
}

// Marsaglia and Tsang, A simple method for generating gamma variables (2000): d·v with v = (1+cx)³
// for a normal x, most often accepted at once. Below 1 the draw for alpha + 1 is scaled.
double gamma_draw(double alpha, PhiloxBlocks& blocks) {
  Uniforms uniforms;
  if (alpha == 1) return -std::log1p(-uniforms.next(blocks));
  if (!(alpha > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  Normals normals;
  for (;;) {
    const double x = normals.next(blocks);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = uniforms.next(blocks);
    const double squared = x * x;
    if (u < 1 - 0.0331 * squared * squared ||
        std::log(u) < 0.5 * squared + d * (1 - v + std::log(v))) {
      return alpha < 1 ? d * v * std::pow(uniforms.next(blocks), 1 / alpha) : d * v;
    }
  }
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

// Hörmann, The transformed rejection method for generating Poisson random variables (1993): PTRS.
double large_poisson(double rate, PhiloxBlocks& blocks) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  Uniforms uniforms;
  for (;;) {
    const double u = uniforms.next(blocks) - 0.5;
    const double v = uniforms.next(blocks);
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double accepted = std::log(v * inverse_alpha / (a / (us * us) + b));
    if (accepted <= -rate + k * log_rate - log_gamma(k + 1)) return k;
  }
}

// Knuth's: events in a unit of time, with exponential times between them.
double poisson_draw(double rate, PhiloxBlocks& blocks) {
  if (!(rate >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (!(rate < 10)) {
    return std::isinf(rate) ? rate : large_poisson(rate, blocks);
  }
  const double least = std::exp(-rate);
  Uniforms uniforms;
  double product = 1;
  for (double count = 0;; ++count) {
    product *= uniforms.next(blocks);
    if (product <= least) return count;
  }
}

// The error of Stirling's formula for log(k!).
double stirling_rest(double k) {
  static constexpr double kSmall[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                      0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                      0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                      0.00833056343336287};
  if (k <= 9) return kSmall[static_cast<int>(k)];
  const double squared = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / squared) / squared) / (k + 1);
}

// Hörmann, The generation of binomial random variates (1993): BTRS. Pre: p <= 1/2, np >= 10.
double large_binomial(double n, double p, PhiloxBlocks& blocks) {
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double r = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((n + 1) * p);
  Uniforms uniforms;
  for (;;) {
    const double u = uniforms.next(blocks) - 0.5;
    const double v = uniforms.next(blocks);
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > n) continue;
    const double bound = (m + 0.5) * std::log((m + 1) / (r * (n - m + 1))) +
                         (n + 1) * std::log((n - m + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(r * (n - k + 1) / (k + 1)) + stirling_rest(m) +
                         stirling_rest(n - m) - stirling_rest(k) - stirling_rest(n - k);
    if (std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}

// The trials until the next success are geometric: counts how many fit into n.
double small_binomial(double n, double p, PhiloxBlocks& blocks) {
  Uniforms uniforms;
  double trials = 0;
  for (double successes = 0;; ++successes) {
    trials += std::ceil(std::log(uniforms.next(blocks)) / std::log1p(-p));
    if (!(trials <= n)) return successes;
  }
}

// Draw `i`. TensorFlow decides with numbers of the parameters' dtype, and a small draw's part of
// the stream is shorter.
double binomial_draw(DType dtype, double n, double p, int64_t i, const PhiloxStream& stream,
                     PhiloxBlocks& blocks) {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (std::isnan(n) || std::isnan(p)) return std::numeric_limits<double>::quiet_NaN();
  const bool is_mirrored = p > 0.5;
  const double q = is_mirrored ? narrowed(dtype, 1 - p) : p;
  double drawn = 0;
  if (std::isinf(n)) {
    drawn = n;
  } else if (narrowed(dtype, n * q) >= 10) {
    drawn = large_binomial(n, q, blocks);
  } else {
    PhiloxBlocks near{stream.without(static_cast<uint64_t>(42 * i))};
    drawn = small_binomial(n, q, near);
  }
  return is_mirrored ? n - drawn : drawn;
}

// The index of element `flat` of shape `full` in a tensor that is broadcast to `full`.
int64_t broadcast_index(const Shape& shape, const Shape& full, int64_t flat) {
  int64_t index = 0, step = 1;
  for (int i = full.rank() - 1, k = shape.rank() - 1; k >= 0; --i, --k) {
    if (shape[k] != 1) index += flat % full[i] * step;
    flat /= full[i];
    step *= shape[k];
  }
  return index;
}

}  // namespace

void draw_gamma(const PhiloxStream& stream, const View& alpha, int64_t samples,
                const View& out) noexcept {
  draw_each(stream, alpha.size(), samples, out, [&](int64_t p, int64_t, PhiloxBlocks& blocks) {
    return gamma_draw(load(alpha, p), blocks);
  });
}

void draw_poisson(const PhiloxStream& stream, const View& rate, int64_t samples,
                  const View& out) noexcept {
  draw_each(stream, rate.size(), samples, out, [&](int64_t p, int64_t, PhiloxBlocks& blocks) {
    return poisson_draw(load(rate, p), blocks);
  });
}

void draw_binomial(const PhiloxStream& stream, const View& counts, const View& probs,
                   const Shape& batch, int64_t samples, const View& out) noexcept {
  draw_each(
      stream, batch.num_elements(), samples, out, [&](int64_t p, int64_t i, PhiloxBlocks& blocks) {
        return binomial_draw(probs.dtype, load(counts, broadcast_index(counts.shape, batch, p)),
                             load(probs, broadcast_index(probs.shape, batch, p)), i, stream,
                             blocks);
      });
}

void draw_categorical(const PhiloxStream& stream, const View& logits, const View& out,
                      double* sums) noexcept {
  const int64_t rows = logits.shape[0], classes = logits.shape[1], samples = out.shape[1];
  PhiloxWords words(stream);
  for (int64_t row = 0; row < rows; ++row) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < classes; ++j) {
      sums[j] = load(logits, row * classes + j);
      if (std::isfinite(sums[j])) largest = std::max(largest, sums[j]);
    }
    double total = 0;
    for (int64_t j = 0; j < classes; ++j) {
      if (std::isfinite(sums[j])) total += std::exp(sums[j] - largest);
      sums[j] = total;
    }
    for (int64_t j = 0; j < samples; ++j) {
      const uint32_t high = words.next();
      const double place = unit_double(high, words.next()) * total;
      const int64_t found = std::upper_bound(sums, sums + classes, place) - sums;
      store(out, row * samples + j, static_cast<double>(found));
    }
  }
}

void draw_permutation(const PhiloxStream& stream, int64_t* order, int64_t count) noexcept {
  std::iota(order, order + count, 0);
  PhiloxWords words(stream);
  for (int64_t i = 0; i + 1 < count; ++i) {
    std::swap(order[i], order[i + words.next() % static_cast<uint32_t>(count - i)]);
  }
}

}  // namespace penstock::kernels
