// The blocked matrix product: blocks of the right operand are packed into the order in which tiles
// read them, then multiplied with the left operand panel by panel (a panel is a tile's rows). Every
// thread packs for itself, so that none waits for another.
//
// An operand is anything that can be packed: a matrix with strides, or the patches of an image in a
// convolution, which therefore never exist as a whole. If the left operand's values can be read in
// place, it provides pointers instead. An operand has lanes (rows of a, columns of b) and steps
// (the index that the product sums over).
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/gemm_micro.h"
#include "kernels/gemm_types.h"

namespace penstock::kernels {

// Lanes [first, first + count) at steps [begin, end) of an operand.
struct PackRange {
  int64_t first, count;
  int64_t begin, end;
  int64_t width;  // lanes to write for a step: those past `count` are zero
};

// The largest block, as bytes of steps. Segments of kByRow have at least kLeastSegment steps
// (except the first and the last of a block).
inline constexpr int64_t kMaxBlockStepBytes = 6144;
inline constexpr int64_t kLeastSegment = 8;

struct GemmOperand {
  // Writes `range.width` values per step to `out`: floats for half types, the operand's own dtype
  // otherwise.
  void (*pack)(const void* context, const PackRange& range, void* out) = nullptr;
  const void* context = nullptr;

  // A left operand that is read in place, of float32 or float64.
  TileRows kind = TileRows::kPacked;
  // kByRow: writes `range.width` pointers and a length for each segment; returns their number.
  // kByStep: writes a pointer for each step to lane `range.first`, where a group begins.
  int64_t (*point)(const void* context, const PackRange& range, const void** pointers,
                   int64_t* lengths) = nullptr;
  int64_t group = 0;  // kByStep: the number of adjacent lanes; a multiple of 4

  // A matrix whose steps are rows of contiguous lanes, `row_stride` apart. If narrow, it need not
  // be packed beside a left operand of kByStep.
  const void* rows = nullptr;
  int64_t row_stride = 0;
};

// Zeroes the lanes that a packing does not write.
void clear_unless_full(const PackRange& range, size_t element_size, void* out);

// A matrix in memory.
struct PackedMatrix {
  const void* data;
  int64_t lane_stride;
  int64_t step_stride;
};
// Pre: `matrix` outlives the result. `dtype` is a real floating-point one.
GemmOperand matrix_operand(DType dtype, const PackedMatrix& matrix);

struct PackedProduct {
  DType dtype;  // a real floating-point one
  GemmSize size;
  GemmOperand a, b;
  void* c;
  int64_t c_stride;
  // The start of a row of c, in elements; null: row * c_stride.
  int64_t (*row_offset)(const void* context, int64_t row) = nullptr;
  const void* row_context = nullptr;
  Epilogue epilogue = {};
};

// Bytes of scratch; about 0.8 MiB for each active thread.
int64_t packed_gemm_scratch_bytes(DType dtype, const GemmSize& size, const GemmOperand& a = {},
                                  const GemmOperand& b = {});

// c = a · b. Pre: as for gemm; k > 0.
void packed_gemm(const PackedProduct& product, void* scratch) noexcept;

}  // namespace penstock::kernels
