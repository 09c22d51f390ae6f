// The blocked matrix product: blocks of the right operand are copied ("packed") into the order in
// which tiles read them, then multiplied with one panel (a tile's rows) of the left one after the
// other. Every thread packs for itself, so that none waits for another.
//
// An operand is anything that can be packed: a matrix with strides, or the patches of an image that
// a convolution multiplies, which so never exist as a whole. Where the left operand's values can be
// read where they lie, it gives pointers to them instead. An operand has lanes (rows of a, columns
// of b) and steps (the index that the product sums over).
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

// The most steps that a block has, in bytes; segments of kByRow have no fewer steps than
// kLeastSegment (but for the first and the last of a block).
inline constexpr int64_t kMaxBlockStepBytes = 6144;
inline constexpr int64_t kLeastSegment = 8;

struct GemmOperand {
  // Writes `range.width` values for one step after the other to `out`: floats for half types, the
  // operand's own dtype otherwise.
  void (*pack)(const void* context, const PackRange& range, void* out) = nullptr;
  const void* context = nullptr;

  // A left operand that is read where it lies, of float32 or float64.
  TileRows kind = TileRows::kPacked;
  // kByRow: writes `range.width` pointers and a length for each segment; returns their number.
  // kByStep: writes a pointer for each step to lane `range.first`, where a group begins.
  int64_t (*point)(const void* context, const PackRange& range, const void** pointers,
                   int64_t* lengths) = nullptr;
  int64_t group = 0;  // kByStep: so many lanes lie side by side; a multiple of 4

  // A matrix whose steps are rows of contiguous lanes `row_stride` apart: beside a left operand of
  // kByStep it need not be packed if it is narrow.
  const void* rows = nullptr;
  int64_t row_stride = 0;
};

// Zeros for the lanes that a packing does not write.
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
  // Where a row of c begins, in elements; null: at row * c_stride.
  int64_t (*row_offset)(const void* context, int64_t row) = nullptr;
  const void* row_context = nullptr;
  Epilogue epilogue = {};
};

// Bytes of scratch; about 0.8 MiB for each thread that has work.
int64_t packed_gemm_scratch_bytes(DType dtype, const GemmSize& size, const GemmOperand& a = {},
                                  const GemmOperand& b = {});

// c = a · b. Pre: as for gemm; k > 0.
void packed_gemm(const PackedProduct& product, void* scratch) noexcept;

}  // namespace penstock::kernels
