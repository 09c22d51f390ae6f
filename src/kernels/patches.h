// Patches of an image as an operand of a packed product.
#pragma once

#include "kernels/gemm_packed.h"
#include "kernels/window.h"

namespace penstock::kernels {

// The matrix whose rows are positions of a window, image by image, and whose columns are the
// window's elements: (row, column, channel). With `inverse` the positions are those of a
// convolution's input, and the elements are those of its output that looked at them.
struct Patches {
  const void* image;
  ImageStrides strides;
  int64_t channels;
  WindowAxis h = {}, w = {};
  bool inverse = false;
};

// Lanes are positions, steps are elements of the window. Pre: `patches` outlives the result.
PackSource patch_rows(DType dtype, const Patches& patches);
// Lanes are elements of the window, steps are positions. Pre: as above, and not inverse.
PackSource patch_cols(DType dtype, const Patches& patches);

}  // namespace penstock::kernels
