// Fills tensors with random numbers of one distribution.
#pragma once

#include <cstdint>

#include <penstock/core/dtype.h>

#include "kernels/philox.h"

namespace penstock::kernels {

// The blocks that a stateful TensorFlow op reserves for each number.
inline constexpr int64_t kBlocksPerNumber = 256;

// `count` numbers of a real floating-point dtype: uniform in [0, 1), standard normal, or standard
// normal truncated to (-2, 2).
void random_uniform(DType dtype, const PhiloxStream& stream, void* out, int64_t count) noexcept;
void random_normal(DType dtype, const PhiloxStream& stream, void* out, int64_t count) noexcept;
void random_truncated_normal(DType dtype, const PhiloxStream& stream, void* out,
                             int64_t count) noexcept;
// `count` numbers in [low, high), of dtype int32 or int64. Pre: low < high.
void random_integers(DType dtype, const PhiloxStream& stream, int64_t low, int64_t high, void* out,
                     int64_t count) noexcept;
// `count` numbers of random bits, of an integer dtype of 32 or 64 bits.
void random_bits(DType dtype, const PhiloxStream& stream, void* out, int64_t count) noexcept;

}  // namespace penstock::kernels
