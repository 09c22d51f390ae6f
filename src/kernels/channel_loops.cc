#include "kernels/channel_loops.h"

#include <algorithm>

#define HWY_TARGET_INCLUDE "kernels/channel_loops.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

// The block's own mean comes first, so that a mean far from 0 does not reduce the accuracy of the
// variance.
template <typename T>
void add_moments(const T* x, int64_t rows, int64_t width, int64_t count, T* mean, T* squares,
                 ColumnMoments sums) {
  std::fill_n(mean, width, T(0));
  std::fill_n(squares, width, T(0));
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x + r * width;
    PEN_INDEPENDENT
    for (int64_t c = 0; c < width; ++c) mean[c] += row[c];
  }
  const T share = T(1) / static_cast<T>(rows);
  PEN_INDEPENDENT
  for (int64_t c = 0; c < width; ++c) mean[c] *= share;
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x + r * width;
    PEN_INDEPENDENT
    for (int64_t c = 0; c < width; ++c) squares[c] += (row[c] - mean[c]) * (row[c] - mean[c]);
  }
  const double weight = static_cast<double>(rows) / static_cast<double>(count + rows);
  const double spread = static_cast<double>(count) * weight;
  PEN_INDEPENDENT
  for (int64_t c = 0; c < width; ++c) {
    const double delta = static_cast<double>(mean[c]) - sums.mean[c];
    sums.mean[c] += delta * weight;
    sums.squares[c] += static_cast<double>(squares[c]) + delta * delta * spread;
  }
}

template <typename T>
void add_products(const T* dy, const T* x, const T* mean, int64_t rows, int64_t width, T* a, T* b,
                  double* sum_dy, double* sum_dyx) {
  std::fill_n(a, width, T(0));
  std::fill_n(b, width, T(0));
  for (int64_t r = 0; r < rows; ++r) {
    const T* dy_row = dy + r * width;
    const T* x_row = x + r * width;
    PEN_INDEPENDENT
    for (int64_t c = 0; c < width; ++c) {
      a[c] += dy_row[c];
      b[c] += dy_row[c] * (x_row[c] - mean[c]);
    }
  }
  PEN_INDEPENDENT
  for (int64_t c = 0; c < width; ++c) {
    sum_dy[c] += static_cast<double>(a[c]);
    sum_dyx[c] += static_cast<double>(b[c]);
  }
}

template <typename T>
void normalise(const T* x, int64_t rows, int64_t width, const T* mean, const T* factor,
               const T* offset, T* y) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x + r * width;
    T* out = y + r * width;
    PEN_INDEPENDENT
    for (int64_t c = 0; c < width; ++c) out[c] = (row[c] - mean[c]) * factor[c] + offset[c];
  }
}

template <typename T>
void input_grad(const T* dy, const T* x, int64_t rows, int64_t width, const T* mean,
                const T* factor, const T* slope, const T* offset, T* dx) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* dy_row = dy + r * width;
    const T* x_row = x + r * width;
    T* out = dx + r * width;
    PEN_INDEPENDENT
    for (int64_t c = 0; c < width; ++c) {
      out[c] = dy_row[c] * factor[c] + (x_row[c] - mean[c]) * slope[c] + offset[c];
    }
  }
}

template <typename T>
ChannelLoops<T> make_loops() {
  return {add_moments<T>, add_products<T>, normalise<T>, input_grad<T>};
}

ChannelLoops<float> float_loops() { return make_loops<float>(); }
ChannelLoops<double> double_loops() { return make_loops<double>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(float_loops);
HWY_EXPORT(double_loops);

template <>
ChannelLoops<float> channel_loops<float>() {
  return HWY_DYNAMIC_DISPATCH(float_loops)();
}
template <>
ChannelLoops<double> channel_loops<double>() {
  return HWY_DYNAMIC_DISPATCH(double_loops)();
}

}  // namespace penstock::kernels
#endif
