// Image resizing: every output is a weighted sum of a few inputs along each axis.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

enum class Resampling : uint8_t { kNearest, kBilinear, kBicubic, kArea };

// The inputs of an output position and their weights: `taps` of each.
struct Taps {
  int64_t taps;
  int64_t* indices;
  float* weights;
};

struct ResizeAxis {
  int64_t in, out;
};
struct Resize {
  Resampling method;
  bool align_corners, half_pixel_centers;
  int64_t batch, channels;
  ResizeAxis h, w;
};

// Bytes of scratch for the functions below.
int64_t resize_scratch(const Resize& r, DType dtype);

// kNearest copies elements of any dtype; the others give float32 of real numbers.
void resize(const Resize& r, const View& images, const View& out, void* scratch);
// The gradient: sums gradients of the output's size into those of the images. Both are float16,
// bfloat16, float32 or float64. `r` is the forward one.
void resize_grad(const Resize& r, const View& grads, const View& out, void* scratch);

}  // namespace penstock::kernels
