// The loops of pooling over contiguous channels, for the instruction set of the machine.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// The elements in a window: `count` of them at x + offsets[i], each with `channels` values.
template <typename T>
struct Seen {
  const T* x;
  const int64_t* offsets;
  int64_t count;
  int64_t channels;
};

// out = the largest element, or the sum; with `more`, combined with `out`.
void max_rows(const Seen<float>& seen, bool more, float* out);
void max_rows(const Seen<double>& seen, bool more, double* out);
void sum_rows(const Seen<float>& seen, bool more, float* out);
void sum_rows(const Seen<double>& seen, bool more, double* out);

// Adds dy to dx + offsets[i] for the first i whose value equals y, channel by channel.
void add_to_largest(const Seen<float>& seen, const float* y, const float* dy, float* dx);
void add_to_largest(const Seen<double>& seen, const double* y, const double* dy, double* dx);

}  // namespace penstock::kernels
