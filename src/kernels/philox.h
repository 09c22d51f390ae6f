// Philox4x32-10: a counter and a key give four random words, so that any part of a stream can be
// computed on its own. Random123 (Salmon et al., 2011) has the algorithm and its test vectors.
#pragma once

#include <array>
#include <cstdint>

#include <penstock/core/dtype.h>

namespace penstock::kernels {

using PhiloxBlock = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

// TensorFlow's streams: `seed` is the key, and the counter of the first block is 0 in its low half
// and `seed2` in its high one. Blocks follow each other.
struct PhiloxStream {
  uint64_t seed;
  uint64_t seed2;
};

// `count` numbers of a real floating-point dtype: uniform in [0, 1), or normal with mean 0 and
// variance 1.
void random_uniform(DType dtype, PhiloxStream stream, void* out, int64_t count) noexcept;
void random_normal(DType dtype, PhiloxStream stream, void* out, int64_t count) noexcept;
// `count` numbers in [low, high), of dtype int32 or int64. Pre: low < high.
void random_integers(DType dtype, PhiloxStream stream, int64_t low, int64_t high, void* out,
                     int64_t count) noexcept;

}  // namespace penstock::kernels
