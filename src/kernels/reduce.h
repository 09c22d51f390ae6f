// Sums, means, products, maxima and minima over some axes of a dense array.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

namespace penstock::kernels {

// kMax and kMin keep NaN. On bool kMax is "any" and kMin is "all".
enum class Reduction : uint8_t { kSum, kMean, kProd, kMax, kMin };

// Reduces `x` over the axes whose bits are set; `out` has the other axes and x's dtype. Floats are
// added up in blocks and the blocks in double, so that millions of float32 keep their digits;
// integers wrap around. Reducing nothing gives the reduction's identity, and a mean of nothing NaN
// (0 for integers). The result does not depend on the number of threads.
// Pre: the dtype is not a string; kMax and kMin are not asked of complex numbers.
void reduce(Reduction reduction, const View& x, uint32_t axes, const View& out);

// How many parts reduce() cuts `n` elements into that become one; part p begins at n * p / parts.
inline constexpr int64_t kMaxReduceParts = 16;
int64_t num_reduce_parts(int64_t n);

}  // namespace penstock::kernels
