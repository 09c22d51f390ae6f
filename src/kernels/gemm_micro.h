// The innermost loops of matrix products, for the instruction set of the machine: one tile of a
// packed product, and products of matrices that are not packed.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// What a tile covers: `rows` lanes of a by `cols` lanes of b. Every instruction set's divides
// these.
inline constexpr int64_t kMaxTileRows = 12;
inline constexpr int64_t kMaxTileCols = 32;

struct TileShape {
  int64_t rows, cols;
};

// Where a tile of the product goes: the first `rows` × `cols` of it are written, or added.
template <typename T>
struct TileTarget {
  T* c;
  int64_t stride;
  int64_t rows, cols;
  bool add;
};

TileShape tile_shape(float);
TileShape tile_shape(double);

// Multiplies `k` steps of packed lanes.
void multiply_tile(int64_t k, const float* a, const float* b, const TileTarget<float>& target);
void multiply_tile(int64_t k, const double* a, const double* b, const TileTarget<double>& target);

// Operands of a product that is done where they lie: element (i, p) of a is at
// i * a_row + p * a_col, (p, j) of b at p * b_row + j * b_col.
template <typename T>
struct DirectGemm {
  const T* a;
  const T* b;
  T* c;
  int64_t a_row, a_col, b_row, b_col, c_stride;
  int64_t k;
};
// The elements of c in rows [row, row_end) and columns [col, col_end).
void multiply_direct(const DirectGemm<float>& g, int64_t row, int64_t row_end, int64_t col,
                     int64_t col_end);
void multiply_direct(const DirectGemm<double>& g, int64_t row, int64_t row_end, int64_t col,
                     int64_t col_end);

}  // namespace penstock::kernels
