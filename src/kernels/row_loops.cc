#include "kernels/row_loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#define HWY_TARGET_INCLUDE "kernels/row_loops.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>
// After highway.h:
#include "kernels/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 64;  // vectors added up before the sum moves on to double

// The sum of at(i) for i < n, taken a vector at a time with vector_at.
template <typename T, class VectorAt, class At>
HWY_INLINE double total(int64_t n, VectorAt vector_at, At at) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  double sum = 0;
  int64_t i = 0;
  while (n - i >= lanes) {
    const int64_t end = i + std::min(n - i, kBlock * lanes);
    auto a = hn::Zero(d);
    auto b = hn::Zero(d);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      a = hn::Add(a, vector_at(i));
      b = hn::Add(b, vector_at(i + lanes));
    }
    for (; i + lanes <= end; i += lanes) a = hn::Add(a, vector_at(i));
    sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b))));
  }
  for (; i < n; ++i) sum += static_cast<double>(at(i));
  return sum;
}

// The largest element. Whether a NaN counts depends on the machine: the exponentials see it anyway.
template <typename T>
HWY_INLINE T maximum(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr T kLeast = -std::numeric_limits<T>::infinity();
  T result = kLeast;
  int64_t i = 0;
  if (n >= lanes) {
    auto a = hn::Set(d, kLeast), b = a, c = a, e = a;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      a = hn::Max(hn::LoadU(d, x + i), a);
      b = hn::Max(hn::LoadU(d, x + i + lanes), b);
      c = hn::Max(hn::LoadU(d, x + i + 2 * lanes), c);
      e = hn::Max(hn::LoadU(d, x + i + 3 * lanes), e);
    }
    for (; i + lanes <= n; i += lanes) a = hn::Max(hn::LoadU(d, x + i), a);
    result = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(a, b), hn::Max(c, e))));
  }
  for (; i < n; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

// Hands e to the power of x[i] - shift on, vector by vector: use(i, vector), and at the end
// use_last(i, pointer, count) for those that fill no vector.
template <typename T, class Use, class UseLast>
HWY_INLINE void exponentials(const T* x, int64_t n, T shift, Use use, UseLast use_last) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto shifts = hn::Set(d, shift);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    use(i, exp_of_negative(d, hn::Sub(hn::LoadU(d, x + i), shifts)));
  }
  if (i == n) return;
  HWY_ALIGN T last[hn::MaxLanes(d)];
  std::fill_n(last, lanes, shift);
  std::copy(x + i, x + n, last);
  hn::Store(exp_of_negative(d, hn::Sub(hn::Load(d, last), shifts)), d, last);
  use_last(i, last, n - i);
}

// The sum of the exponentials, which are kept in `out` if wanted. Long rows go over to double block
// by block.
template <bool kKeep, typename T>
HWY_INLINE double exp_sum(const T* x, int64_t n, T shift, T* out) {
  const hn::ScalableTag<T> d;
  const int64_t block = kBlock * static_cast<int64_t>(hn::Lanes(d));
  double sum = 0;
  for (int64_t begin = 0; begin < n; begin += block) {
    auto part = hn::Zero(d);
    exponentials(
        x + begin, std::min(block, n - begin), shift,
        [&](int64_t i, auto e) HWY_ATTR {
          part = hn::Add(part, e);
          if constexpr (kKeep) hn::StoreU(e, d, out + begin + i);
        },
        [&](int64_t i, const T* last, int64_t count) HWY_ATTR {
          for (int64_t k = 0; k < count; ++k) sum += static_cast<double>(last[k]);
          if constexpr (kKeep) std::copy_n(last, count, out + begin + i);
        });
    sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, part)));
  }
  return sum;
}

template <typename T>
void fill_nan(T* out, int64_t n) {
  std::fill_n(out, n, std::numeric_limits<T>::quiet_NaN());
}

template <typename T>
void softmax(const T* x, int64_t n, T* out) {
  const T shift = maximum(x, n);
  if (!std::isfinite(shift)) return fill_nan(out, n);
  const T scale = static_cast<T>(1 / exp_sum<true>(x, n, shift, out));
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] *= scale;
}

template <typename T>
void log_softmax(const T* x, int64_t n, T* out) {
  const T shift = maximum(x, n);
  if (!std::isfinite(shift)) return fill_nan(out, n);
  const T log_sum = static_cast<T>(std::log(exp_sum<false, T>(x, n, shift, nullptr)));
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - shift) - log_sum;
}

// A class of label 0 adds nothing, even if its logit is infinite.
template <typename T>
T cross_entropy(const T* x, const T* labels, int64_t n, T* backprop) {
  const hn::ScalableTag<T> d;
  const T shift = maximum(x, n);
  if (!std::isfinite(shift)) {
    fill_nan(backprop, n);
    return n == 0 ? T(0) : std::numeric_limits<T>::quiet_NaN();
  }
  const auto shifts = hn::Set(d, shift);
  const double label_sum = total<T>(
      n, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, labels + i); },
      [&](int64_t i) HWY_ATTR { return labels[i]; });
  const double dot = total<T>(
      n,
      [&](int64_t i) HWY_ATTR {
        const auto label = hn::LoadU(d, labels + i);
        const auto product = hn::Mul(label, hn::Sub(hn::LoadU(d, x + i), shifts));
        return hn::IfThenZeroElse(hn::Eq(label, hn::Zero(d)), product);
      },
      [&](int64_t i) HWY_ATTR { return labels[i] == 0 ? T(0) : labels[i] * (x[i] - shift); });
  const double sum = exp_sum<true>(x, n, shift, backprop);
  const T scale = static_cast<T>(1 / sum);
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) backprop[i] = backprop[i] * scale - labels[i];
  return static_cast<T>(std::log(sum) * label_sum - dot);
}

template <typename T>
T sparse_cross_entropy(const T* x, int64_t label, int64_t n, T* backprop) {
  const T shift = maximum(x, n);
  if (!std::isfinite(shift)) {
    fill_nan(backprop, n);
    return std::numeric_limits<T>::quiet_NaN();
  }
  const double chosen = static_cast<double>(x[label]) - static_cast<double>(shift);
  const double sum = exp_sum<true>(x, n, shift, backprop);
  const T scale = static_cast<T>(1 / sum);
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) backprop[i] *= scale;
  backprop[label] -= 1;
  return static_cast<T>(std::log(sum) - chosen);
}

template <typename T>
void layer_norm(const T* x, const T* gamma, const T* beta, int64_t n, double epsilon, T* y,
                T* mean_out, T* rstd_out) {
  const hn::ScalableTag<T> d;
  const double count = static_cast<double>(n);
  const T mean = static_cast<T>(total<T>(
                                    n, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, x + i); },
                                    [&](int64_t i) HWY_ATTR { return x[i]; }) /
                                count);
  const auto means = hn::Set(d, mean);
  const double variance = total<T>(
                              n,
                              [&](int64_t i) HWY_ATTR {
                                const auto deviation = hn::Sub(hn::LoadU(d, x + i), means);
                                return hn::Mul(deviation, deviation);
                              },
                              [&](int64_t i) HWY_ATTR { return (x[i] - mean) * (x[i] - mean); }) /
                          count;
  const T rstd = static_cast<T>(1 / std::sqrt(variance + epsilon));
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
  *mean_out = mean;
  *rstd_out = rstd;
}

// dx = rstd * (g - mean(g) - h * mean(g * h)) with g = dy * gamma and h = (x - mean) * rstd.
template <typename T>
void layer_norm_grad(const T* dy, const T* x, const T* gamma, T mean, T rstd, int64_t n, T* dx,
                     T* dgamma, T* dbeta) {
  const hn::ScalableTag<T> d;
  const auto means = hn::Set(d, mean);
  const double count = static_cast<double>(n);
  const T mean_g =
      static_cast<T>(total<T>(
                         n,
                         [&](int64_t i) HWY_ATTR {
                           return hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, gamma + i));
                         },
                         [&](int64_t i) HWY_ATTR { return dy[i] * gamma[i]; }) /
                     count);
  const T mean_gh =
      static_cast<T>(total<T>(
                         n,
                         [&](int64_t i) HWY_ATTR {
                           const auto g = hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, gamma + i));
                           return hn::Mul(g, hn::Sub(hn::LoadU(d, x + i), means));
                         },
                         [&](int64_t i) HWY_ATTR { return dy[i] * gamma[i] * (x[i] - mean); }) *
                     static_cast<double>(rstd) / count);
  PEN_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T h = (x[i] - mean) * rstd;
    const T dy_i = dy[i];
    dgamma[i] += dy_i * h;
    dbeta[i] += dy_i;
    dx[i] = rstd * (dy_i * gamma[i] - mean_g - h * mean_gh);
  }
}

template <typename T>
double sum_of_squares(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  return total<T>(
      n,
      [&](int64_t i) HWY_ATTR {
        const auto v = hn::LoadU(d, x + i);
        return hn::Mul(v, v);
      },
      [&](int64_t i) HWY_ATTR { return x[i] * x[i]; });
}

template <typename T>
RowLoops<T> make_loops() {
  return {softmax<T>,    log_softmax<T>,     cross_entropy<T>, sparse_cross_entropy<T>,
          layer_norm<T>, layer_norm_grad<T>, sum_of_squares<T>};
}

RowLoops<float> float_loops() { return make_loops<float>(); }
RowLoops<double> double_loops() { return make_loops<double>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(float_loops);
HWY_EXPORT(double_loops);

template <>
RowLoops<float> row_loops<float>() {
  return HWY_DYNAMIC_DISPATCH(float_loops)();
}
template <>
RowLoops<double> row_loops<double>() {
  return HWY_DYNAMIC_DISPATCH(double_loops)();
}

}  // namespace penstock::kernels
#endif
