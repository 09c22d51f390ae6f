// Diagonals of matrices: inserting and extracting them, and the band around the main one.
#pragma once

#include <cstdint>

#include <penstock/core/view.h>

#include "kernels/matrices.h"

namespace penstock::kernels {

// Diagonals `lower` to `upper` (0 is the main one, above it is positive) of matrices, stored as
// rows of `length` elements, the uppermost first. A shorter one is aligned left or right.
struct Diagonals {
  int64_t lower, upper, length;
  bool super_left, sub_left;

  int64_t count() const { return upper - lower + 1; }
};

// The length of diagonal d of a matrix; 0 if it is outside.
inline int64_t diagonal_length(int64_t rows, int64_t cols, int64_t d) {
  return std::max<int64_t>(
      0, std::min(rows + std::min<int64_t>(d, 0), cols - std::max<int64_t>(d, 0)));
}

// out = padding, with the diagonals in it. `padding` points to one element.
void diagonals_to_matrix(const Diagonals& d, const View& diagonal, const void* padding,
                         const View& out);
// The diagonals of `in`, with padding where a row of `out` is longer.
void matrix_to_diagonals(const Diagonals& d, const View& in, const void* padding, const View& out);
// Replaces the diagonals of `out`, which is `in` or becomes its copy.
void replace_diagonals(const Diagonals& d, const View& in, const View& diagonal, const View& out);

// `in` with zeros below diagonal -lower and above diagonal upper; `out` may be `in`. A negative
// number keeps all.
void band_part(const View& in, int64_t lower, int64_t upper, const View& out);

}  // namespace penstock::kernels
