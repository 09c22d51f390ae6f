// Comparison of shapes that may be partly unknown.
#pragma once

#include <penstock/core/shape.h>

namespace penstock {

// True when a tensor of one shape may have the other, as far as both are known.
PEN_API bool fits(const Shape& shape, const Shape& declared);

}  // namespace penstock
