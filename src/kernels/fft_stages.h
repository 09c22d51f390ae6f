// The inner loops of the Fourier transform, over lines that lie side by side.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// Real and imaginary parts, separate.
template <typename T>
struct Split {
  T* re;
  T* im;
};

inline constexpr int kMaxRadix = 31;

// One stage of a transform of length `length` after Stockham: the data go from x to y in such an
// order that the last stage leaves them sorted.
//
//   span    product of the radices of the stages before
//   lines   transforms side by side: element i of line l is at i * lines + l
//   roots   exp(-2πi k / length) for k in [0, length)
template <typename T>
struct FftStage {
  int radix;
  int64_t length, span, lines;
  Split<const T> roots;
};

template <typename T>
void run_fft_stage(const FftStage<T>& stage, Split<T> x, Split<T> y);

}  // namespace penstock::kernels
