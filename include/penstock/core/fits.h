// Shapes that are not known to the last dimension, beside others.
#pragma once

#include <penstock/core/shape.h>

namespace penstock {

// True when a tensor of one shape may be of the other, as far as both say anything.
PEN_API bool fits(const Shape& shape, const Shape& declared);

}  // namespace penstock
