// Loops over `rows` × `width` elements of float32 or float64 with parameters per column (a mean, a
// factor): the steps of batch normalisation. batch_norm.cc calls them.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// The moments of `count` numbers of each column: the mean and the sum of squared deviations.
struct ColumnMoments {
  double* mean;
  double* squares;
};

template <typename T>
struct ChannelLoops {
  // Adds the block to the moments of `count` rows before it. `mean` and `squares` are scratch.
  void (*add_moments)(const T* x, int64_t rows, int64_t width, int64_t count, T* mean, T* squares,
                      ColumnMoments sums);
  // Adds the columns of dy, and of dy * (x - mean), to the sums; `a` and `b` are scratch.
  void (*add_products)(const T* dy, const T* x, const T* mean, int64_t rows, int64_t width, T* a,
                       T* b, double* sum_dy, double* sum_dyx);
  // y = (x - mean) * factor + offset; `y` may be `x`.
  void (*normalise)(const T* x, int64_t rows, int64_t width, const T* mean, const T* factor,
                    const T* offset, T* y);
  // dx = dy * factor + (x - mean) * slope + offset; `dx` may be `dy`.
  void (*input_grad)(const T* dy, const T* x, int64_t rows, int64_t width, const T* mean,
                     const T* factor, const T* slope, const T* offset, T* dx);
};

template <typename T>
ChannelLoops<T> channel_loops();

}  // namespace penstock::kernels
