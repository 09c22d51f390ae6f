// Running sums and products along an axis.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

enum class Scan : uint8_t { kSum, kProd };

// out[i] combines x's elements up to i along `axis`; without the i-th itself when `exclusive`, and
// from the far end when `reverse`. `out` may be `x`. Accumulates as reductions do.
void scan(Scan operation, const View& x, int axis, bool exclusive, bool reverse, const View& out);

}  // namespace penstock::kernels
