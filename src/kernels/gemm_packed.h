// The blocked matrix product: parts of both operands are copied ("packed") into the order in which
// the micro-kernel reads them, then multiplied tile by tile, on all threads.
//
// An operand is anything that can be packed: a matrix with strides, or the patches of an image that
// a convolution multiplies, which so never exist as a whole. Seen by the packing, an operand has
// lanes (rows of a, columns of b) and steps (the index that the product sums over).
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/gemm.h"

namespace penstock::kernels {

// Lanes [first, first + count) at steps [begin, end) of an operand.
struct PackRange {
  int64_t first, count;
  int64_t begin, end;
  int64_t width;  // lanes to write for a step: those past `count` are zero
};

struct PackSource {
  // Writes `range.width` values for one step after the other to `out`: floats for half types, the
  // operand's own dtype otherwise.
  void (*pack)(const void* context, const PackRange& range, void* out);
  const void* context;
};

// A matrix in memory: lane l at step s is at l * lane_stride + (s / inner_steps) * outer_stride +
// (s % inner_steps) * step_stride elements.
struct PackedMatrix {
  const void* data;
  int64_t lane_stride;
  int64_t step_stride;
  int64_t inner_steps = INT64_MAX;
  int64_t outer_stride = 0;
};
// Pre: `matrix` outlives the result. `dtype` is a real floating-point one.
PackSource pack_source(DType dtype, const PackedMatrix& matrix);

// Bytes of scratch for a product of that size.
int64_t packed_gemm_scratch_bytes(DType dtype, const GemmSize& size);

// c = a · b. Pre: as for gemm; `dtype` is a real floating-point one and k > 0.
void packed_gemm(DType dtype, const GemmSize& size, const PackSource& a, const PackSource& b,
                 void* c, int64_t c_stride, void* scratch) noexcept;

}  // namespace penstock::kernels
