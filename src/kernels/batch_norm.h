// Batch normalisation: statistics and an affine map for every channel of an image.
//
// Elements are float16, bfloat16, float32 or float64. A Stat, a value per channel (mean, variance,
// scale, …), is float32 for half types and the element type otherwise.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

// The elements' order: `outer` × `channels` × `inner`. With channels last, inner is 1.
struct Channels {
  int64_t outer, channels, inner;
  int64_t count() const { return outer * inner; }  // elements of a channel
};

// Bytes of scratch for each of the functions below.
int64_t batch_norm_scratch(DType dtype, const Channels& s);

// Mean and variance (the mean squared deviation) of each channel. Pre: there are elements.
void channel_moments(const Channels& s, const View& x, void* mean, void* variance, void* scratch);

// y = (x - mean) / sqrt(variance + epsilon) * scale + offset; `y` may be `x`.
void batch_norm(const Channels& s, const View& x, const void* scale, const void* offset,
                const void* mean, const void* variance, double epsilon, const View& y,
                void* scratch);

// The gradients for x, scale and offset; with `through_statistics`, mean and variance are computed
// from x. `dx` may be `dy`.
struct BatchNormGrad {
  const View &dy, &x;
  const void *scale, *mean, *variance;
  double epsilon;
  bool through_statistics;
  const View& dx;
  void *dscale, *doffset;
};
void batch_norm_grad(const Channels& s, const BatchNormGrad& g, void* scratch);

}  // namespace penstock::kernels
