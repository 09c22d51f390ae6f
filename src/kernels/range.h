// Numbers at equal distances.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// out[i] = start + i * delta, for int32, int64, float32 and float64.
void range(const void* start, const void* delta, const View& out);

}  // namespace penstock::kernels
