// Gathers rows by indices.
#pragma once

#include "kernels/indices.h"

namespace penstock::kernels {

// params seen as [batch, outer, size, row], indices as [batch, count], out as [batch, outer, count,
// row] with rows of row_bytes.
struct GatherShape {
  int64_t batch;
  int64_t outer;
  int64_t size;
  int64_t count;
  int64_t row_bytes;
};

// out[b, o, k] = params[b, o, indices[b, k]]; zero if the index is negative. Pre: every index is
// less than `size`.
void gather(const GatherShape& shape, const View& params, const View& indices, const View& out);

// Row rows.row(i) of params as row i of out. Pre: the coordinates are in range.
void gather_rows(const Coordinates& rows, const View& params, const View& out, int64_t row_bytes);

}  // namespace penstock::kernels
