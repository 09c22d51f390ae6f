// float16 and bfloat16: storage types with conversion to and from float, rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace penstock {

struct bfloat16 {
  uint16_t bits = 0;

  bfloat16() = default;
  explicit bfloat16(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    if (value != value) {
      bits = static_cast<uint16_t>((word >> 16) | 0x40);  // keep it a quiet NaN
    } else {
      bits = static_cast<uint16_t>((word + 0x7FFF + ((word >> 16) & 1)) >> 16);
    }
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

struct float16 {
  uint16_t bits = 0;

  float16() = default;
  explicit float16(float value) : bits(from_float(value)) {}
  operator float() const { return to_float(bits); }

 private:
  static uint16_t from_float(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (word >> 16) & 0x8000;
    const uint32_t magnitude = word & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return static_cast<uint16_t>(sign | 0x7E00);   // NaN
    if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7C00);  // beyond the range
    if (magnitude < 0x38800000) {
      // Subnormal: adding one half of the smallest normal's ulp lets the hardware round.
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000));
    }
    const uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1) - 0x38000000;
    return static_cast<uint16_t>(sign | (rounded >> 13));
  }
  static float to_float(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
    const uint32_t magnitude = half & 0x7FFF;
    if (magnitude >= 0x7C00) {  // infinity and NaN
      return std::bit_cast<float>(sign | 0x7F800000 | ((magnitude & 0x3FF) << 13));
    }
    if (magnitude < 0x400) {  // zero and subnormal: exact in float
      const float value = static_cast<float>(magnitude) * 0x1p-24f;
      return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  }
};

}  // namespace penstock
