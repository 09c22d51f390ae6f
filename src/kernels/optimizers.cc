#include "kernels/optimizers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <penstock/base/threads.h>

#include "kernels/half.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kUpdateGrain = 1 << 15;  // elements a thread should have at least
constexpr int64_t kRowParts = 16;          // what the rows are split into for threads

// Elements [begin, begin + count) of `from` on, of elements of `size` bytes.
const void* moved(const void* data, int64_t elements, size_t size) {
  return static_cast<const char*>(data) + elements * static_cast<int64_t>(size);
}
void* moved(void* data, int64_t elements, size_t size) {
  return static_cast<char*>(data) + elements * static_cast<int64_t>(size);
}

// Converts a few elements at a time and runs the float loop on them.
template <typename Half>
void update_half(UpdateLoop loop, const UpdateCall& call, const UpdateSpan& span) {
  float states[kMaxUpdateStates][kHalfBlock];
  float grad[kHalfBlock];
  UpdateSpan block{};
  block.grad = grad;
  for (int64_t i = 0; i < span.count; i += kHalfBlock) {
    block.count = std::min(kHalfBlock, span.count - i);
    to_float(static_cast<const Half*>(span.grad) + i, grad, block.count);
    for (int s = 0; s < call.states; ++s) {
      to_float(static_cast<const Half*>(span.in[s]) + i, states[s], block.count);
      block.in[s] = block.out[s] = states[s];
    }
    loop(call.numbers, block);
    for (int s = 0; s < call.states; ++s) {
      from_float(states[s], static_cast<Half*>(span.out[s]) + i, block.count);
    }
  }
}

void update_span(UpdateLoop loop, const UpdateCall& call, const UpdateSpan& span) {
  if (call.dtype == DType::kFloat16) return update_half<float16>(loop, call, span);
  if (call.dtype == DType::kBFloat16) return update_half<bfloat16>(loop, call, span);
  loop(call.numbers, span);
}

void copy_states(const UpdateCall& call, int64_t count) {
  for (int s = 0; s < call.states; ++s) {
    if (call.in[s] == call.out[s]) continue;
    std::memcpy(call.out[s], call.in[s], static_cast<size_t>(count) * dtype_size(call.dtype));
  }
}

int64_t index_at(const UpdateRows& rows, int64_t i) {
  return rows.index_dtype == DType::kInt32 ? static_cast<const int32_t*>(rows.indices)[i]
                                           : static_cast<const int64_t*>(rows.indices)[i];
}

}  // namespace

void update(const UpdateCall& call, int64_t count) noexcept {
  const UpdateLoop loop = update_loop(call.rule, call.dtype == DType::kFloat64);
  const size_t size = dtype_size(call.dtype);
  parallel_for(count, kUpdateGrain, [&](int64_t begin, int64_t end) {
    UpdateSpan span{};
    span.count = end - begin;
    span.grad = moved(call.grad, begin, size);
    for (int s = 0; s < call.states; ++s) {
      span.in[s] = moved(call.in[s], begin, size);
      span.out[s] = moved(call.out[s], begin, size);
    }
    update_span(loop, call, span);
  });
}

void update_rows(const UpdateCall& call, const UpdateRows& rows) noexcept {
  copy_states(call, rows.rows * rows.row_size);
  if (rows.num_indices == 0 || rows.row_size == 0) return;
  const UpdateLoop loop = update_loop(call.rule, call.dtype == DType::kFloat64);
  const size_t size = dtype_size(call.dtype);
  // Each part owns a range of rows and scans all indices for them, so that a repeated row is
  // updated in order.
  const int64_t parts = rows.num_indices * rows.row_size > kUpdateGrain ? kRowParts : 1;
  const int64_t rows_each = (rows.rows + parts - 1) / parts;
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < rows.num_indices; ++i) {
      const int64_t row = index_at(rows, i);
      if (row < begin * rows_each || row >= end * rows_each) continue;
      UpdateSpan span{};
      span.count = rows.row_size;
      span.grad = moved(call.grad, i * rows.row_size, size);
      for (int s = 0; s < call.states; ++s) {
        span.in[s] = span.out[s] = moved(call.out[s], row * rows.row_size, size);
      }
      update_span(loop, call, span);
    }
  });
}

}  // namespace penstock::kernels
