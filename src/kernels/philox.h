// Philox4x32-10: a counter and a key give four random words, so that any part of a stream can be
// computed independently. Random123 (Salmon et al., 2011) has the algorithm and its test vectors.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace penstock::kernels {

using PhiloxBlock = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

// Consecutive blocks: a key, and the counter of the first block (128 bits).
struct PhiloxStream {
  uint64_t key;
  uint64_t low;
  uint64_t high;

  // TensorFlow's stream of stateful ops: `seed` is the key and `seed2` the high half of the
  // counter.
  static PhiloxStream seeded(uint64_t seed, uint64_t seed2) { return {seed, 0, seed2}; }
  // TensorFlow's stream of stateless ops: key and counter are two seeds, mixed.
  static PhiloxStream mixed(uint64_t seed, uint64_t seed2);

  PhiloxBlock block(uint64_t i) const;
  // The stream without its first blocks.
  PhiloxStream without(uint64_t blocks) const {
    return {key, low + blocks, high + (low + blocks < low)};
  }
};

// Reads the blocks of a stream in turn.
struct PhiloxBlocks {
  PhiloxStream stream;
  uint64_t taken = 0;
  PhiloxBlock next() { return stream.block(taken++); }
};

// Reads the words of a stream in turn.
class PhiloxWords {
 public:
  explicit PhiloxWords(const PhiloxStream& stream) : blocks_{stream} {}
  uint32_t next() {
    if (used_ == 4) {
      block_ = blocks_.next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  PhiloxBlocks blocks_;
  PhiloxBlock block_{};
  size_t used_ = 4;
};

// Numbers in [0, 1): random bits as the mantissa of a number in [1, 2), minus 1.
inline float unit_float(uint32_t word) {
  return std::bit_cast<float>((word & 0x7FFFFF) | 0x3F800000) - 1;
}
inline double unit_double(uint32_t high, uint32_t low) {
  const uint64_t mantissa = uint64_t{high & 0xFFFFF} << 32 | low;
  return std::bit_cast<double>(mantissa | uint64_t{1023} << 52) - 1;
}

// Box–Muller: two numbers in [0, 1) become two normal ones.
void box_muller(float first, float second, float* out);
void box_muller(double first, double second, double* out);

}  // namespace penstock::kernels
