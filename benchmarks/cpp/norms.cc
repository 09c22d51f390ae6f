// Layer norm over rows of a transformer's size and batch norm over images, forward and backward.
#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kRows = 4096, kWidth = 768;
constexpr int64_t kPixels = 8 * 56 * 56, kChannels = 64;
constexpr double kEpsilon = 1e-3;

// The mean and the variance of `count` elements of x, every `step`-th from `first` on.
struct Moments {
  double mean = 0, variance = 0;
  Moments(const Tensor& x, int64_t first, int64_t count, int64_t step) {
    for (int64_t k = 0; k < count; ++k) mean += x.number_at(first + k * step);
    mean /= static_cast<double>(count);
    for (int64_t k = 0; k < count; ++k) {
      const double deviation = x.number_at(first + k * step) - mean;
      variance += deviation * deviation;
    }
    variance /= static_cast<double>(count);
  }
  double normalised(double x) const { return (x - mean) / std::sqrt(variance + kEpsilon); }
};

// The gradient for x of a normalisation of those elements, with g the incoming gradient times
// gamma.
template <typename Arriving>
double input_gradient(const Tensor& x, int64_t i, int64_t first, int64_t count, int64_t step,
                      Arriving g) {
  const Moments moments(x, first, count, step);
  double mean_g = 0, mean_gh = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t at = first + k * step;
    mean_g += g(at) / static_cast<double>(count);
    mean_gh += g(at) * moments.normalised(x.number_at(at)) / static_cast<double>(count);
  }
  const double h = moments.normalised(x.number_at(i));
  return (g(i) - mean_g - h * mean_gh) / std::sqrt(moments.variance + kEpsilon);
}

}  // namespace

PEN_CASE(layer_norm_4096x768) {
  const Tensor x = values({kRows, kWidth}, 1);
  const Tensor gamma = values({kWidth}, 2), beta = values({kWidth}, 3);
  bench.expect(layer_norm(x, gamma, beta, kEpsilon)[0], [&](int64_t i) {
    const Moments row(x, i / kWidth * kWidth, kWidth, 1);
    const int64_t column = i % kWidth;
    return row.normalised(x.number_at(i)) * gamma.number_at(column) + beta.number_at(column);
  });
  bench.time([&] { return layer_norm(x, gamma, beta, kEpsilon); });
}

PEN_CASE(layer_norm_grad_4096x768) {
  const Tensor x = values({kRows, kWidth}, 1), dy = values({kRows, kWidth}, 4);
  const Tensor gamma = values({kWidth}, 2), beta = values({kWidth}, 3);
  const auto outputs = layer_norm(x, gamma, beta, kEpsilon);
  const Tensor mean = outputs[1], rstd = outputs[2];
  bench.expect(layer_norm_grad(dy, x, gamma, mean, rstd)[0], [&](int64_t i) {
    return input_gradient(x, i, i / kWidth * kWidth, kWidth, 1, [&](int64_t at) {
      return dy.number_at(at) * gamma.number_at(at % kWidth);
    });
  });
  bench.time([&] { return layer_norm_grad(dy, x, gamma, mean, rstd); });
}

PEN_CASE(batch_norm_56x56x64) {
  const Tensor x = values({8, 56, 56, kChannels}, 1);
  const Tensor gamma = values({kChannels}, 2), beta = values({kChannels}, 3);
  const Tensor none = values({0}, 0);
  const auto call = [&] { return fused_batch_norm(x, gamma, beta, none, none, kEpsilon); };
  bench.expect(call()[0], [&](int64_t i) {
    const int64_t channel = i % kChannels;
    const Moments moments(x, channel, kPixels, kChannels);
    return moments.normalised(x.number_at(i)) * gamma.number_at(channel) + beta.number_at(channel);
  });
  bench.time(call);
}

PEN_CASE(batch_norm_grad_56x56x64) {
  const Tensor x = values({8, 56, 56, kChannels}, 1), dy = values({8, 56, 56, kChannels}, 4);
  const Tensor gamma = values({kChannels}, 2), beta = values({kChannels}, 3);
  const Tensor none = values({0}, 0);
  const auto forward = fused_batch_norm(x, gamma, beta, none, none, kEpsilon);
  const auto call = [&] {
    return fused_batch_norm_grad(dy, x, gamma, forward[3], forward[4], forward[5], kEpsilon);
  };
  bench.expect(call()[0], [&](int64_t i) {
    const int64_t channel = i % kChannels;
    return input_gradient(x, i, channel, kPixels, kChannels,
                          [&](int64_t at) { return dy.number_at(at) * gamma.number_at(channel); });
  });
  bench.time(call);
}

PEN_CASE(log_softmax_4096x1000) {
  constexpr int64_t kClasses = 1000;
  const Tensor x = values({4096, kClasses}, 1);
  bench.expect(log_softmax(x), [&](int64_t i) {
    const int64_t row = i / kClasses * kClasses;
    double sum = 0;
    for (int64_t k = 0; k < kClasses; ++k) sum += std::exp(x.number_at(row + k));
    return x.number_at(i) - std::log(sum);
  });
  bench.time([&] { return log_softmax(x); });
}

}  // namespace penstock::bench
