// Running sums, products and sums of exponentials along an axis, and linear recurrences.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

enum class Scan : uint8_t { kSum, kProd, kLogSumExp };  // the last for real floats

// out[i] combines x's elements up to i along `axis`; without the i-th itself when `exclusive`, and
// from the far end when `reverse`. `out` may be `x`. Accumulates as reductions do.
void scan(Scan operation, const View& x, int axis, bool exclusive, bool reverse, const View& out);

// s = a[i] * s + b[i] along `axis`, starting from s = 0: out[i] is s after that step, or before it
// if `exclusive`. `out` may be `a` or `b`. Pre: floats or complex numbers of one shape.
void linear_scan(const View& a, const View& b, int axis, bool exclusive, bool reverse,
                 const View& out);

}  // namespace penstock::kernels
