// Sums, means, products, maxima and minima over some axes of a dense array.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/reduction.h"

namespace penstock::kernels {

// Reduces `x` over the axes whose bits are set; `out` has the other axes and x's dtype. Floats are
// added up in blocks and the blocks in double, so that millions of float32 keep their digits;
// integers wrap around. Reducing nothing gives the reduction's identity, and a mean of nothing NaN
// (0 for integers). The result does not depend on the number of threads.
// Pre: the dtype is not a string; kMax and kMin are not asked of complex numbers.
void reduce(Reduction reduction, const View& x, uint32_t axes, const View& out);

// The outputs of reduce() that are each made of `n` neighbours, `rows` of them: true when every one
// is start, one call of rows, finish.
bool reduces_row_by_row(int64_t rows, int64_t n);

// How many parts reduce() cuts `n` elements into that become one; part p begins at n * p / parts.
inline constexpr int64_t kMaxReduceParts = 16;
int64_t num_reduce_parts(int64_t n);

}  // namespace penstock::kernels
