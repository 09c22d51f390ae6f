// Repeats an array along its axes of size 1.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// Pre: x's shape broadcasts to out's, and they do not overlap.
void broadcast_to(const View& x, const View& out);

}  // namespace penstock::kernels
