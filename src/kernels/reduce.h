// Sums, means, products, maxima and minima over some axes of a dense array.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/reduction.h"

namespace penstock::kernels {

// Reduces `x` over the axes whose bits are set; `out` has the other axes and x's dtype. Floats are
// summed in blocks and the blocks in double, so that sums of millions of float32 stay accurate;
// integers wrap around. An empty reduction gives the identity, and an empty mean NaN (0 for
// integers). The result does not depend on the number of threads. Pre: the dtype is not a string;
// no kMax or kMin of complex numbers.
void reduce(Reduction reduction, const View& x, uint32_t axes, const View& out);

// For reduce() of `rows` rows of `n` adjacent elements: whether every output is start, one call of
// rows, finish (reduce_steps.h).
bool reduces_row_by_row(int64_t rows, int64_t n);

// The number of parts that reduce() splits `n` elements into; part p begins at n * p / parts.
inline constexpr int64_t kMaxReduceParts = 16;
int64_t num_reduce_parts(int64_t n);

}  // namespace penstock::kernels
