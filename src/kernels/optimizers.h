// Updates of optimisers: one pass over a variable, its slots and the gradient.
#pragma once

#include <cstdint>
#include <span>

#include <penstock/core/dtype.h>

#include "kernels/update_rules.h"

namespace penstock::kernels {

// An output may coincide with its input. `dtype` is a real floating-point one; half types are
// computed in float.
struct UpdateCall {
  UpdateRule rule;
  DType dtype;
  int states;
  const void* in[kMaxUpdateStates];
  void* out[kMaxUpdateStates];
  const void* grad;
  UpdateNumbers numbers;
};

// Updates `count` elements.
void update(const UpdateCall& call, int64_t count) noexcept;

// Copies the states and updates rows of `row_size` elements: row indices[i] with the gradient's row
// i, for one i after the other. Pre: indices (int32 or int64) are in [0, rows).
struct UpdateRows {
  const void* indices;
  DType index_dtype;
  int64_t num_indices;
  int64_t rows;
  int64_t row_size;
};
void update_rows(const UpdateCall& call, const UpdateRows& rows) noexcept;

}  // namespace penstock::kernels
