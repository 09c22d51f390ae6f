// Walks two or three inputs that broadcast together, and calls a loop for every run of elements.
//
// The walk is the same for all ops and dtypes; a loop is a plain function for one op and dtype.
// Strides are in elements: 0 (the operand repeats) or 1.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

using UnaryLoop = void (*)(const void* x, void* out, int64_t n);
using BinaryLoop = void (*)(const void* x, const void* y, void* out, int64_t n, int stride_x,
                            int stride_y);
using TernaryLoop = void (*)(const void* x, const void* y, const void* z, void* out, int64_t n,
                             int stride_x, int stride_y, int stride_z);

// The minimum number of elements per thread: for memory-bound loops, and for loops with heavy
// arithmetic.
inline constexpr int64_t kGrain = 1 << 16;
inline constexpr int64_t kHeavyGrain = 1 << 12;

// out = loop(x); x and out have the same shape. Pre of all: `out` has the broadcast shape of the
// inputs, and does not overlap any of them or, with an equal shape, coincides with it.
void run_unary(UnaryLoop loop, const View& x, const View& out, int64_t grain = kGrain) noexcept;
void run_binary(BinaryLoop loop, const View& x, const View& y, const View& out,
                int64_t grain = kGrain) noexcept;
void run_ternary(TernaryLoop loop, const View& x, const View& y, const View& z, const View& out,
                 int64_t grain = kGrain) noexcept;

}  // namespace penstock::kernels
