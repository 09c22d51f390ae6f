// The position of the largest or smallest element along an axis.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// The first position of the largest (or smallest) element along `axis`. NaN is skipped; if there is
// nothing else the position is 0. `out` has x's shape without the axis, of int32 or int64. Pre: the
// axis is not empty; x is real or bool.
void arg_extremum(bool largest, const View& x, int axis, const View& out);

}  // namespace penstock::kernels
