// A 3x3 convolution from the middle of a residual network: 8 images of 56x56, 64 channels.
#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kSide = 56, kChannels = 64, kWindow = 3;

// Element i of the convolution of `images` [n, y, x, c] with `filter` [y, x, c, d], padded to the
// same size.
double element(const Tensor& images, const Tensor& filter, int64_t i) {
  const int64_t d = i % kChannels, x = i / kChannels % kSide, y = i / kChannels / kSide % kSide;
  const int64_t n = i / kChannels / kSide / kSide;
  double sum = 0;
  for (int64_t fy = 0; fy < kWindow; ++fy) {
    for (int64_t fx = 0; fx < kWindow; ++fx) {
      const int64_t iy = y + fy - 1, ix = x + fx - 1;
      if (iy < 0 || iy >= kSide || ix < 0 || ix >= kSide) continue;
      for (int64_t c = 0; c < kChannels; ++c) {
        sum += images.number_at(((n * kSide + iy) * kSide + ix) * kChannels + c) *
               filter.number_at(((fy * kWindow + fx) * kChannels + c) * kChannels + d);
      }
    }
  }
  return sum;
}

}  // namespace

PEN_CASE(conv2d_56x56x64) {
  const Tensor images = values({8, kSide, kSide, kChannels}, 1);
  const Tensor filter = values({kWindow, kWindow, kChannels, kChannels}, 2);
  const auto call = [&] { return conv2d(images, filter, {1, 1, 1, 1}, "SAME"); };
  bench.expect(call(), [&](int64_t i) { return element(images, filter, i); }, 1e-4);
  bench.time(call);
}

}  // namespace penstock::bench
