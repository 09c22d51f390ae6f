// Writes rows at indices, or combines them with the existing ones.
#pragma once

#include "kernels/indices.h"

namespace penstock::kernels {

enum class Combine { kUpdate, kAdd, kSubtract, kMultiply, kMin, kMax };

// Combines row i of `updates` into row rows.row(i) of `out`, in order; rows have `width` elements
// and `out` has `num_rows` of them. Pre: the coordinates are in range; kUpdate takes any dtype,
// kAdd numbers and bools (one or the other), kMin and kMax real numbers, the others numbers.
void scatter(Combine combine, const Coordinates& rows, const View& updates, const View& out,
             int64_t num_rows, int64_t width);

// Combines row i of `data` into row ids[i] of `out`; rows with negative ids are skipped.
void combine_segments(Combine combine, const View& ids, const View& data, const View& out,
                      int64_t num_rows, int64_t width);

// The same for sorted ids; the first row of each id replaces the contents of `out`.
void combine_sorted_segments(Combine combine, const View& ids, const View& data, const View& out,
                             int64_t num_rows, int64_t width);

// Fills `out` with the identity of combining: 0, 1, or the lowest or largest number. Pre: numbers.
void fill_start(Combine combine, const View& out);

}  // namespace penstock::kernels
