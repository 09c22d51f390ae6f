// Sums, means, products, maxima and minima over some axes of a dense array.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

// kMax and kMin keep NaN. On bool kMax is "any" and kMin is "all".
enum class Reduction : uint8_t { kSum, kMean, kProd, kMax, kMin };

// Reduces `x` over the axes whose bits are set; `out` has the other axes and x's dtype. Floats are
// summed in blocks and the blocks in double, so that sums of millions of float32 stay accurate;
// integers wrap around. An empty reduction gives the identity, and an empty mean NaN (0 for
// integers). The result does not depend on the number of threads. Pre: the dtype is not a string;
// no kMax or kMin of complex numbers.
void reduce(Reduction reduction, const View& x, uint32_t axes, const View& out);

// The number of parts that reduce() splits `n` elements into; part p begins at n * p / parts.
inline constexpr int64_t kMaxReduceParts = 16;
int64_t num_reduce_parts(int64_t n);

}  // namespace penstock::kernels
