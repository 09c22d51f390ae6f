#include "kernels/philox.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace penstock::kernels {
namespace {

PhiloxBlock words_of(uint64_t low, uint64_t high) {
  return {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high),
          static_cast<uint32_t>(high >> 32)};
}

// `first` is kept away from 0, which has no logarithm.
template <typename T>
void to_normal(T first, T second, T* out) {
  const T angle = static_cast<T>(2 * std::numbers::pi * static_cast<double>(second));
  const T radius = std::sqrt(T(-2) * std::log(std::max(first, T(1.0e-7))));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
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

PhiloxBlock PhiloxStream::block(uint64_t i) const {
  const PhiloxStream from = without(i);
  return philox(words_of(from.low, from.high),
                {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

PhiloxStream PhiloxStream::mixed(uint64_t seed, uint64_t seed2) {
  const PhiloxBlock mix = philox(words_of(seed, seed2), {0x3EC8F720, 0x02461E29});
  return {mix[0] | uint64_t{mix[1]} << 32, 0, mix[2] | uint64_t{mix[3]} << 32};
}

void box_muller(float first, float second, float* out) { to_normal(first, second, out); }
void box_muller(double first, double second, double* out) { to_normal(first, second, out); }

}  // namespace penstock::kernels
