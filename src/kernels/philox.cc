#include "kernels/philox.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 12;  // blocks a thread should have at least

// Makes the stream's blocks into numbers: a block holds Distribution::kPerBlock of them.
template <typename Distribution>
void fill(PhiloxStream stream, const Distribution& distribution, typename Distribution::Type* out,
          int64_t count) {
  using T = typename Distribution::Type;
  constexpr int64_t kEach = Distribution::kPerBlock;
  const PhiloxKey key{static_cast<uint32_t>(stream.seed), static_cast<uint32_t>(stream.seed >> 32)};
  parallel_for((count + kEach - 1) / kEach, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto low = static_cast<uint64_t>(i);
      const PhiloxBlock words =
          philox({static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                  static_cast<uint32_t>(stream.seed2), static_cast<uint32_t>(stream.seed2 >> 32)},
                 key);
      T numbers[kEach];
      distribution.make(words, numbers);
      const int64_t first = i * kEach;
      std::copy_n(numbers, std::min(kEach, count - first), out + first);
    }
  });
}

// Random bits as the mantissa of a number in [1, 2), minus 1.
float unit_float(uint32_t word) { return std::bit_cast<float>((word & 0x7FFFFF) | 0x3F800000) - 1; }
double unit_double(uint32_t high, uint32_t low) {
  const uint64_t mantissa = uint64_t{high & 0xFFFFF} << 32 | low;
  return std::bit_cast<double>(mantissa | uint64_t{1023} << 52) - 1;
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

// Box–Muller: two numbers in [0, 1) become two normal ones. `first` is kept away from 0, whose
// logarithm does not exist.
template <typename T>
void box_muller(T first, T second, T* out) {
  const T angle = static_cast<T>(2 * std::numbers::pi * static_cast<double>(second));
  const T radius = std::sqrt(T(-2) * std::log(std::max(first, T(1.0e-7))));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
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

template <template <typename> typename Distribution>
void fill_floats(DType dtype, PhiloxStream stream, void* out, int64_t count) {
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

PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

void random_uniform(DType dtype, PhiloxStream stream, void* out, int64_t count) noexcept {
  fill_floats<Uniform>(dtype, stream, out, count);
}
void random_normal(DType dtype, PhiloxStream stream, void* out, int64_t count) noexcept {
  fill_floats<Normal>(dtype, stream, out, count);
}

void random_integers(DType dtype, PhiloxStream stream, int64_t low, int64_t high, void* out,
                     int64_t count) noexcept {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (dtype == DType::kInt32) {
    fill(stream, Integers32{static_cast<uint32_t>(low), static_cast<uint32_t>(range)},
         static_cast<int32_t*>(out), count);
  } else {
    fill(stream, Integers64{static_cast<uint64_t>(low), range}, static_cast<int64_t*>(out), count);
  }
}

}  // namespace penstock::kernels
