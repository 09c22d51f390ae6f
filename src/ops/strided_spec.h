// StridedSpec: the selection of a NumPy-like index (x[1:3, ..., ::-1, None, 2]), computed from the
// begin, end, strides and masks of StridedSlice.
#pragma once

#include <string>

#include <penstock/core/attr.h>
#include <penstock/core/view.h>

#include "kernels/move.h"

namespace penstock {

struct StridedSpec {
  struct Axis {
    int64_t begin = 0;
    int64_t stride = 1;
    int64_t size = 0;  // the number of selected positions
  };

  Axis axes[kMaxRank];  // one for each axis of the input
  Shape picked;         // their sizes
  Shape output;         // without the axes that an index removed, with those added
  std::string problem;  // why the index is invalid; empty if it is valid

  // True if the selection is contiguous in the input.
  bool is_run(const Shape& whole) const;
  // The first selected element. Pre: the selection is not empty.
  int64_t start(const Shape& whole) const;
  // Moves between the whole (`from` side) and a dense tensor of the selected shape.
  kernels::Move box(const Shape& whole) const;
};

// For an unknown dimension of the whole it says only whether the output has one for it. Pre: the
// whole has a rank; `bounds` are begin, end and strides, integers with data; `masks` are
// StridedSlice's: begin, end, ellipsis, new_axis, shrink_axis.
StridedSpec strided_spec(const Shape& whole, const View* bounds, Attrs masks);

}  // namespace penstock
