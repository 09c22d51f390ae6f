#include "kernels/random_fill.h"

#include <algorithm>
#include <cmath>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 12;  // blocks a thread should have at least

// Numbers in groups: `make` gets the index of a group and writes kEach of them.
template <typename T, int64_t kEach, typename Make>
void fill_groups(T* out, int64_t count, int64_t grain, const Make& make) {
  parallel_for((count + kEach - 1) / kEach, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T numbers[kEach];
      make(static_cast<uint64_t>(i), numbers);
      const int64_t first = i * kEach;
      std::copy_n(numbers, std::min(kEach, count - first), out + first);
    }
  });
}

// Makes each block of the stream into Distribution::kPerBlock numbers.
template <typename Distribution>
void fill(const PhiloxStream& stream, const Distribution& distribution,
          typename Distribution::Type* out, int64_t count) {
  using T = typename Distribution::Type;
  fill_groups<T, Distribution::kPerBlock>(out, count, kGrain, [&](uint64_t i, T* numbers) {
    distribution.make(stream.block(i), numbers);
  });
}

float16 unit_half(uint32_t word, float16) {
  float16 number;
  number.bits = static_cast<uint16_t>((word & 0x3FF) | 15 << 10);
  return float16(static_cast<float>(number) - 1);
}
bfloat16 unit_half(uint32_t word, bfloat16) {
  bfloat16 number;
  number.bits = static_cast<uint16_t>((word & 0x7F) | 127 << 7);
  return bfloat16(static_cast<float>(number) - 1);
}

template <typename T>
struct Uniform {
  using Type = T;
  static constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;
  static void make(const PhiloxBlock& w, T* out) {
    if constexpr (sizeof(T) == 8) {
      out[0] = unit_double(w[0], w[1]);
      out[1] = unit_double(w[2], w[3]);
    } else {
      for (size_t i = 0; i < 4; ++i) {
        if constexpr (sizeof(T) == 4) {
          out[i] = unit_float(w[i]);
        } else {
          out[i] = unit_half(w[i], T());
        }
      }
    }
  }
};

template <typename T>
struct Normal {
  using Type = T;
  static constexpr int64_t kPerBlock = sizeof(T) == 8 ? 2 : 4;
  static void make(const PhiloxBlock& w, T* out) {
    if constexpr (sizeof(T) == 8) {
      box_muller(unit_double(w[0], w[1]), unit_double(w[2], w[3]), out);
    } else {
      float numbers[4];
      box_muller(unit_float(w[0]), unit_float(w[1]), numbers);
      box_muller(unit_float(w[2]), unit_float(w[3]), numbers + 2);
      for (size_t i = 0; i < 4; ++i) out[i] = T(numbers[i]);
    }
  }
};

// Two normal numbers from the next words.
void next_pair(PhiloxWords& words, float* out) {
  const float first = unit_float(words.next());
  box_muller(first, unit_float(words.next()), out);
}
void next_pair(PhiloxWords& words, double* out) {
  uint32_t w[4];
  for (uint32_t& word : w) word = words.next();
  box_muller(unit_double(w[0], w[1]), unit_double(w[2], w[3]), out);
}

// A group draws until it has enough; each has its own part of the stream, so that they do not
// depend on each other.
template <typename T>
void fill_truncated(const PhiloxStream& stream, T* out, int64_t count) {
  using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
  constexpr int64_t kEach = sizeof(T) == 8 ? 2 : 4;
  constexpr uint64_t kBlocksPerGroup = kEach * kBlocksPerNumber / 4;
  fill_groups<T, kEach>(out, count, kGrain / 4, [&](uint64_t group, T* numbers) {
    PhiloxWords words(stream.without(group * kBlocksPerGroup));
    for (int64_t found = 0; found < kEach;) {
      Wide pair[2];
      next_pair(words, pair);
      for (Wide number : pair) {
        if (std::abs(number) < 2 && found < kEach) numbers[found++] = T(number);
      }
    }
  });
}

// The remainder of a random word, as TensorFlow takes it: slightly uneven for huge ranges.
struct Integers32 {
  using Type = int32_t;
  static constexpr int64_t kPerBlock = 4;
  uint32_t low, range;
  void make(const PhiloxBlock& w, int32_t* out) const {
    for (size_t i = 0; i < 4; ++i) out[i] = static_cast<int32_t>(low + w[i] % range);
  }
};
struct Integers64 {
  using Type = int64_t;
  static constexpr int64_t kPerBlock = 2;
  uint64_t low, range;
  void make(const PhiloxBlock& w, int64_t* out) const {
    out[0] = static_cast<int64_t>(low + (uint64_t{w[1]} << 32 | w[0]) % range);
    out[1] = static_cast<int64_t>(low + (uint64_t{w[3]} << 32 | w[2]) % range);
  }
};

struct Bits {
  using Type = uint32_t;
  static constexpr int64_t kPerBlock = 4;
  static void make(const PhiloxBlock& w, uint32_t* out) { std::copy_n(w.data(), 4, out); }
};

template <template <typename> typename Distribution>
void fill_floats(DType dtype, const PhiloxStream& stream, void* out, int64_t count) {
  switch (dtype) {
    case DType::kFloat16:
      return fill(stream, Distribution<float16>(), static_cast<float16*>(out), count);
    case DType::kBFloat16:
      return fill(stream, Distribution<bfloat16>(), static_cast<bfloat16*>(out), count);
    case DType::kFloat32:
      return fill(stream, Distribution<float>(), static_cast<float*>(out), count);
    default:
      return fill(stream, Distribution<double>(), static_cast<double*>(out), count);
  }
}

}  // namespace

void random_uniform(DType dtype, const PhiloxStream& stream, void* out, int64_t count) noexcept {
  fill_floats<Uniform>(dtype, stream, out, count);
}
void random_normal(DType dtype, const PhiloxStream& stream, void* out, int64_t count) noexcept {
  fill_floats<Normal>(dtype, stream, out, count);
}

void random_truncated_normal(DType dtype, const PhiloxStream& stream, void* out,
                             int64_t count) noexcept {
  switch (dtype) {
    case DType::kFloat16:
      return fill_truncated(stream, static_cast<float16*>(out), count);
    case DType::kBFloat16:
      return fill_truncated(stream, static_cast<bfloat16*>(out), count);
    case DType::kFloat32:
      return fill_truncated(stream, static_cast<float*>(out), count);
    default:
      return fill_truncated(stream, static_cast<double*>(out), count);
  }
}

void random_integers(DType dtype, const PhiloxStream& stream, int64_t low, int64_t high, void* out,
                     int64_t count) noexcept {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (dtype == DType::kInt32) {
    fill(stream, Integers32{static_cast<uint32_t>(low), static_cast<uint32_t>(range)},
         static_cast<int32_t*>(out), count);
  } else {
    fill(stream, Integers64{static_cast<uint64_t>(low), range}, static_cast<int64_t*>(out), count);
  }
}

// A number of 64 bits is two words, the lower one first, as it lies in memory.
void random_bits(DType dtype, const PhiloxStream& stream, void* out, int64_t count) noexcept {
  const int64_t words = dtype_size(dtype) == 8 ? 2 * count : count;
  fill(stream, Bits(), static_cast<uint32_t*>(out), words);
}

}  // namespace penstock::kernels
