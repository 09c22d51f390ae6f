// Rows put, added or subtracted at indices.
#pragma once

#include "kernels/indices.h"

namespace penstock::kernels {

enum class Combine { kUpdate, kAdd, kSubtract };

// Combines row i of `updates` into row rows.row(i) of `out`, in order; rows have `width` elements
// and `out` has `num_rows` of them. Pre: the coordinates are in range; kUpdate takes any dtype, the
// others numbers.
void scatter(Combine combine, const Coordinates& rows, const View& updates, const View& out,
             int64_t num_rows, int64_t width);

// Adds row i of `data` to row ids[i] of `out`; rows with negative ids are left out.
void add_segments(const View& ids, const View& data, const View& out, int64_t num_rows,
                  int64_t width);

}  // namespace penstock::kernels
