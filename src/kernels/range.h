// Evenly spaced numbers.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// out[i] = start + i * delta, for real numbers.
void range(const void* start, const void* delta, const View& out);

}  // namespace penstock::kernels
