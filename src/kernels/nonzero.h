// Coordinates of elements that are not zero.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// Writes the coordinates of x's elements that are not zero (a row each) and gives their number.
int64_t find_nonzero(const View& x, int64_t* coordinates);

}  // namespace penstock::kernels
