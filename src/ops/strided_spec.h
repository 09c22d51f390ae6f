// StridedSpec: what a NumPy-like index (x[1:3, ..., ::-1, None, 2]) picks, worked out from the
// begin, end and strides of StridedSlice and its masks.
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
    int64_t size = 0;  // how many positions it picks
  };

  Axis axes[kMaxRank];  // one for each axis of the input
  Shape picked;         // their sizes
  Shape output;         // without the axes that an index took away, with those that were added
  std::string problem;  // why the index is wrong; empty when it is not

  // True when what is picked is one run of the input.
  bool is_run(const Shape& whole) const;
  // The first element of what is picked. Pre: something is.
  int64_t start(const Shape& whole) const;
  // Moves between the whole (`from` side) and a dense tensor of the picked shape.
  kernels::Move box(const Shape& whole) const;
};

// Of an unknown dimension of the whole it says only whether the output has one for it. Pre: the
// whole has a rank; `bounds` are begin, end and strides, integers with data; `masks` are
// StridedSlice's: begin, end, ellipsis, new_axis, shrink_axis.
StridedSpec strided_spec(const Shape& whole, const View* bounds, Attrs masks);

}  // namespace penstock
