// One-hot encoding.
#pragma once

#include <penstock/core/view.h>

namespace penstock::kernels {

// `out`, seen as [outer, depth, inner], gets `on` at [o, indices[o, i], i] and `off` elsewhere; an
// index outside of [0, depth) sets nothing.
void one_hot(const View& indices, const void* on, const void* off, const View& out, int64_t depth,
             int64_t inner);

}  // namespace penstock::kernels
