// The elementwise steps of recurrent cells, fused: gates in, state out. float32 and float64.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

// gates: [batch, 4 * units] as input, forget, candidate, output, before their activations.
// c = sigmoid(f) * c_prev + sigmoid(i) * tanh(g); h = sigmoid(o) * tanh(c).
void lstm_step(DType dtype, int64_t batch, int64_t units, const void* gates, const void* c_prev,
               void* h, void* c);
// `dgates` may be `gates` and `dc_prev` any of the others of its size.
void lstm_step_grad(DType dtype, int64_t batch, int64_t units, const void* gates,
                    const void* c_prev, const void* c, const void* dh, const void* dc, void* dgates,
                    void* dc_prev);

// x_gates, h_gates: [batch, 3 * units] as update, reset, candidate, before their activations.
// z = sigmoid(xz + hz), r = sigmoid(xr + hr), n = tanh(xn + r * hn); out = z * h + (1 - z) * n.
void gru_step(DType dtype, int64_t batch, int64_t units, const void* x_gates, const void* h_gates,
              const void* h, void* out);
void gru_step_grad(DType dtype, int64_t batch, int64_t units, const void* x_gates,
                   const void* h_gates, const void* h, const void* dy, void* dx_gates,
                   void* dh_gates, void* dh);

// The loops over one row of `n` units that the functions above run.
template <typename T>
struct CellLoops {
  void (*lstm)(int64_t n, const T* gates, const T* c_prev, T* h, T* c);
  void (*lstm_grad)(int64_t n, const T* gates, const T* c_prev, const T* c, const T* dh,
                    const T* dc, T* dgates, T* dc_prev);
  void (*gru)(int64_t n, const T* x, const T* hidden, const T* h, T* out);
  void (*gru_grad)(int64_t n, const T* x, const T* hidden, const T* h, const T* dy, T* dx,
                   T* dhidden, T* dh);
};

}  // namespace penstock::kernels
