// The largest elements of rows.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// For each row of `width` elements its `k` largest and their positions, in descending order; equal
// ones by position. NaN counts as larger than all numbers. Pre: a real dtype; k <= width <=
// INT32_MAX. `scratch` is null or has the size of argsort_scratch; with it the rows are sorted,
// which is faster if sorts_rows() is true.
void top_k(const View& in, int64_t width, int64_t k, const View& values, int32_t* indices,
           void* scratch);
bool sorts_rows(int64_t width, int64_t k);

}  // namespace penstock::kernels
