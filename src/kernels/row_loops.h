// Vectorised loops over one row of float32 or float64; rows.cc calls them.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// An output may be an input (in place) only where stated; otherwise they must not overlap.
template <typename T>
struct RowLoops {
  // `out` may be `x`.
  void (*softmax)(const T* x, int64_t n, T* out);
  void (*log_softmax)(const T* x, int64_t n, T* out);
  // Return the loss; `backprop` may be `x`.
  T (*cross_entropy)(const T* x, const T* labels, int64_t n, T* backprop);
  T (*sparse_cross_entropy)(const T* x, int64_t label, int64_t n, T* backprop);
  // `y` may be `x`.
  void (*layer_norm)(const T* x, const T* gamma, const T* beta, int64_t n, double epsilon, T* y,
                     T* mean, T* rstd);
  // Adds the row's contribution to dgamma and dbeta; `dx` may be `dy`.
  void (*layer_norm_grad)(const T* dy, const T* x, const T* gamma, T mean, T rstd, int64_t n, T* dx,
                          T* dgamma, T* dbeta);
  double (*sum_of_squares)(const T* x, int64_t n);
};

template <typename T>
RowLoops<T> row_loops();

}  // namespace penstock::kernels
