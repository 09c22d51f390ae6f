// WindowAxis: how a window slides along one axis of an image. Output position o looks at input
// positions o * stride - pad + i * dilation, for i in [0, size), as far as they exist.
#pragma once

#include <cstdint>

namespace penstock::kernels {

struct WindowAxis {
  int64_t in = 0;   // positions of the input
  int64_t out = 0;  // positions of the output
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad = 0;  // before the first position
};

// Where the elements of an image are: strides in elements.
struct ImageStrides {
  int64_t batch, row, col, channel;
};
inline ImageStrides image_strides(bool channels_first, int64_t height, int64_t width,
                                  int64_t channels) {
  if (channels_first) return {channels * height * width, width, 1, height * width};
  return {height * width * channels, width * channels, channels, 1};
}

}  // namespace penstock::kernels
