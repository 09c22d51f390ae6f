// Discrete Fourier transforms along one axis: of complex numbers, and of real ones to the half of
// the spectrum that determines them, and back.
//
// Lengths whose prime factors are at most 31 go stage by stage (Stockham); others through a
// convolution of a smooth length (Bluestein), so that every length costs O(n log n). Twiddle
// factors and work space are the caller's scratch memory.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

enum class FftKind : uint8_t { kComplex, kRealToHalf, kHalfToReal };

// `outer` × length × `inner` elements, transformed along the middle. An input line of `in_length`
// elements is truncated or zero-padded to the transform's length n.
struct FftAxis {
  FftKind kind = FftKind::kComplex;
  bool inverse = false;  // with the factor 1 / n; a kHalfToReal always is
  int64_t outer = 1, n = 0, inner = 1;
  int64_t in_length = 0, out_length = 0;
};

// Bytes of scratch; `dtype` is float32 or float64, that of real and imaginary parts.
int64_t fft_scratch(DType dtype, const FftAxis& axis);
// Complex data may be transformed in place if in_length == out_length. Pre: n > 0.
void fft(DType dtype, const FftAxis& axis, const void* in, void* out, void* scratch);

}  // namespace penstock::kernels
