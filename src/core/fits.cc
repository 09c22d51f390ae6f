#include <penstock/core/fits.h>

namespace penstock {

bool fits(const Shape& shape, const Shape& declared) {
  if (!shape.has_rank() || !declared.has_rank()) return true;
  if (shape.rank() != declared.rank()) return false;
  for (int i = 0; i < declared.rank(); ++i) {
    if (declared[i] != kUnknownDim && shape[i] != kUnknownDim && declared[i] != shape[i])
      return false;
  }
  return true;
}

}  // namespace penstock
