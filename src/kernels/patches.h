// Patches of images, and the filters they are multiplied with, as operands of blocked products.
#pragma once

#include <array>

#include "kernels/gemm_packed.h"
#include "kernels/window.h"

namespace penstock::kernels {

// The positions that an output reads along one axis: with tap j of the filter, position q reads q *
// by_position + base + j * by_tap, if that is in [0, limit).
struct Looking {
  int64_t positions = 1, taps = 1;
  int64_t by_position = 1, base = 0, by_tap = 1;
  int64_t limit = 1;
};

// The matrix whose rows are positions, image by image, and whose columns are the elements they
// read: (tap, channel), zero outside the image.
struct Patches {
  DType dtype;
  const void* image;
  ImageStrides strides;
  int64_t channels;
  std::array<Looking, 3> axes;

  int64_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
};
// Lanes are positions, steps are elements. Pre of both: `patches` outlives the result.
GemmOperand patch_rows(const Patches& patches);
// Lanes are elements, steps are positions.
GemmOperand patch_cols(const Patches& patches);
// The same as left operands, read in place if possible.
GemmOperand patch_rows_in_place(const Patches& patches);
GemmOperand patch_cols_in_place(const Patches& patches);

// A filter: its steps are (tap, channel), its lanes the output channels.
struct Filter {
  DType dtype;
  const void* data;
  int64_t lane_stride, channel_stride;
  int64_t channels;
  std::array<int64_t, 3> taps, tap_strides;
};
// Pre: `filter` outlives the result.
GemmOperand filter_operand(const Filter& filter);

}  // namespace penstock::kernels
