// A 3x3 convolution from the middle of a residual network, 8 images of 56x56 with 64 channels, its
// gradients with respect to the input and to the filter, and pooling of the same images.
#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kSide = 56, kChannels = 64, kWindow = 3;

constexpr int64_t kImages = 8;
const Shape kImageShape{kImages, kSide, kSide, kChannels};
const Shape kFilterShape{kWindow, kWindow, kChannels, kChannels};

int64_t pixel(int64_t n, int64_t y, int64_t x) { return ((n * kSide + y) * kSide + x) * kChannels; }
int64_t tap(int64_t y, int64_t x) { return (y * kWindow + x) * kChannels * kChannels; }
bool is_inside(int64_t y, int64_t x) { return y >= 0 && y < kSide && x >= 0 && x < kSide; }

// Element i of the convolution of `images` [n, y, x, c] with `filter` [y, x, c, d], padded to the
// same size; with `back`, of the gradient of its input, where `images` is the gradient of the
// result.
double element(const Tensor& images, const Tensor& filter, int64_t i, bool back) {
  const int64_t d = i % kChannels, x = i / kChannels % kSide, y = i / kChannels / kSide % kSide;
  const int64_t n = i / kChannels / kSide / kSide;
  double sum = 0;
  for (int64_t fy = 0; fy < kWindow; ++fy) {
    for (int64_t fx = 0; fx < kWindow; ++fx) {
      const int64_t iy = back ? y + 1 - fy : y + fy - 1, ix = back ? x + 1 - fx : x + fx - 1;
      if (!is_inside(iy, ix)) continue;
      for (int64_t c = 0; c < kChannels; ++c) {
        sum += images.number_at(pixel(n, iy, ix) + c) *
               filter.number_at(tap(fy, fx) + (back ? d * kChannels + c : c * kChannels + d));
      }
    }
  }
  return sum;
}

// Element i of the gradient with respect to the filter.
double filter_element(const Tensor& images, const Tensor& dy, int64_t i) {
  const int64_t d = i % kChannels, c = i / kChannels % kChannels;
  const int64_t fx = i / kChannels / kChannels % kWindow, fy = i / kChannels / kChannels / kWindow;
  double sum = 0;
  for (int64_t n = 0; n < kImages; ++n) {
    for (int64_t y = 0; y < kSide; ++y) {
      for (int64_t x = 0; x < kSide; ++x) {
        if (!is_inside(y + fy - 1, x + fx - 1)) continue;
        sum += images.number_at(pixel(n, y + fy - 1, x + fx - 1) + c) *
               dy.number_at(pixel(n, y, x) + d);
      }
    }
  }
  return sum;
}

}  // namespace

PEN_CASE(conv2d_56x56x64) {
  const Tensor images = values(kImageShape, 1), filter = values(kFilterShape, 2);
  const auto call = [&] { return conv2d(images, filter, {1, 1, 1, 1}, "SAME"); };
  bench.expect(call(), [&](int64_t i) { return element(images, filter, i, false); }, 1e-4);
  bench.time(call);
}

PEN_CASE(conv2d_input_grad) {
  const Tensor sizes{8, 56, 56, 64}, dy = values(kImageShape, 1), filter = values(kFilterShape, 2);
  const auto call = [&] { return conv2d_backprop_input(sizes, filter, dy, {1, 1, 1, 1}, "SAME"); };
  bench.expect(call(), [&](int64_t i) { return element(dy, filter, i, true); }, 1e-4);
  bench.time(call);
}

PEN_CASE(conv2d_filter_grad) {
  const Tensor sizes{3, 3, 64, 64}, images = values(kImageShape, 1), dy = values(kImageShape, 2);
  const auto call = [&] { return conv2d_backprop_filter(images, sizes, dy, {1, 1, 1, 1}, "SAME"); };
  bench.expect(call(), [&](int64_t i) { return filter_element(images, dy, i); }, 1e-3);
  bench.time(call);
}

namespace {

// The four inputs of output element i of a 2x2 pooling.
template <typename Fold>
double pooled(const Tensor& images, int64_t i, double first, const Fold& fold) {
  constexpr int64_t kHalf = kSide / 2;
  const int64_t c = i % kChannels, x = i / kChannels % kHalf, y = i / kChannels / kHalf % kHalf;
  const int64_t n = i / kChannels / kHalf / kHalf;
  for (int64_t k = 0; k < 4; ++k) {
    first = fold(first, images.number_at(pixel(n, 2 * y + k / 2, 2 * x + k % 2) + c));
  }
  return first;
}

}  // namespace

PEN_CASE(max_pool_56x56x64) {
  const Tensor images = values(kImageShape, 1);
  const auto call = [&] { return max_pool(images, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"); };
  bench.expect(call(), [&](int64_t i) {
    return pooled(images, i, -2, [](double a, double b) { return std::max(a, b); });
  });
  bench.time(call);
}

PEN_CASE(avg_pool_56x56x64) {
  const Tensor images = values(kImageShape, 1);
  const auto call = [&] { return avg_pool(images, {1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"); };
  bench.expect(call(), [&](int64_t i) {
    return pooled(images, i, 0, [](double a, double b) { return a + b; }) / 4;
  });
  bench.time(call);
}

}  // namespace penstock::bench
