// The largest elements of rows.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// For each row of `width` elements its `k` largest and their positions, from large to small; equal
// ones by position. NaN counts as larger than all numbers. Pre: a real dtype; k <= width <=
// INT32_MAX.
void top_k(const View& in, int64_t width, int64_t k, const View& values, int32_t* indices);

}  // namespace penstock::kernels
