// The innermost loops of matrix products, for the machine's instruction set: one tile of a blocked
// product, and products of matrices read in place.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// How the rows of a tile's left operand are addressed. b is packed: tile_shape().cols values per
// step.
enum class TileRows : uint8_t {
  kPacked,  // packed[step * rows + row]
  kByRow,   // pointers[segment * rows + row][step], with lengths[segment] steps in a segment
  kByStep,  // pointers[step][first + row]
};
// The size of a tile: `rows` of a by `cols` of b. The tile of every instruction set divides these.
inline constexpr int64_t kMaxTileRows = 12;
inline constexpr int64_t kMaxTileCols = 64;

struct TileShape {
  int64_t rows, cols;
};
TileShape tile_shape(float, TileRows kind);
TileShape tile_shape(double, TileRows kind);

template <typename T>
struct TileLeft {
  TileRows kind = TileRows::kPacked;
  int64_t steps = 0;  // of kByRow: segments
  const T* packed = nullptr;
  const T* const* pointers = nullptr;
  const int64_t* lengths = nullptr;
  int64_t first = 0;
  int64_t right_stride = 0;  // kByStep: the distance between b's steps
};

// The destination of a tile: `cols` elements of each of `rows` rows are written or added to.
template <typename T>
struct TileTarget {
  T* const* c;  // the rows
  int64_t col;
  int64_t rows, cols;
  bool add;
};
void multiply_tile(const TileLeft<float>& a, const float* b, const TileTarget<float>& target);
void multiply_tile(const TileLeft<double>& a, const double* b, const TileTarget<double>& target);

// Operands of a product that are read in place: element (i, p) of a is at i * a_row + p * a_col,
// (p, j) of b at p * b_row + j * b_col.
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
