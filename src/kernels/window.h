// WindowAxis: how a window slides along one axis of an image. Output position o reads input
// positions o * stride - pad + i * dilation, for i in [0, size), if they exist.
//
// An image has up to three such axes, the last of three: missing axes have one position and a
// window of one, the defaults of WindowAxis.
#pragma once

#include <array>
#include <cstdint>

namespace penstock::kernels {

struct WindowAxis {
  int64_t in = 1;   // positions of the input
  int64_t out = 1;  // positions of the output
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;  // before the first position
};
using Window = std::array<WindowAxis, 3>;

inline int64_t in_positions(const Window& w) { return w[0].in * w[1].in * w[2].in; }
inline int64_t out_positions(const Window& w) { return w[0].out * w[1].out * w[2].out; }
inline int64_t window_size(const Window& w) { return w[0].size * w[1].size * w[2].size; }

// The strides of images, in elements.
struct ImageStrides {
  int64_t batch;
  std::array<int64_t, 3> axes;
  int64_t channel;
};
inline ImageStrides image_strides(bool channels_first, std::array<int64_t, 3> sizes,
                                  int64_t channels) {
  const int64_t step = channels_first ? 1 : channels;
  const int64_t all = sizes[0] * sizes[1] * sizes[2];
  return {all * channels,
          {sizes[1] * sizes[2] * step, sizes[2] * step, step},
          channels_first ? all : 1};
}
inline ImageStrides in_strides(const Window& w, bool channels_first, int64_t channels) {
  return image_strides(channels_first, {w[0].in, w[1].in, w[2].in}, channels);
}
inline ImageStrides out_strides(const Window& w, bool channels_first, int64_t channels) {
  return image_strides(channels_first, {w[0].out, w[1].out, w[2].out}, channels);
}

}  // namespace penstock::kernels
