// Half precision, all 65536 values of both kinds, against arithmetic in double.
#include <penstock/core/half.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace penstock {
namespace {

// What the bits of a small binary float mean.
double meaning(uint32_t bits, int exponent_bits, int fraction_bits) {
  const uint32_t exponent = (bits >> fraction_bits) & ((1u << exponent_bits) - 1);
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
  if (exponent == (1u << exponent_bits) - 1) {
    return fraction == 0 ? sign * INFINITY : std::numeric_limits<double>::quiet_NaN();
  }
  const double unit = std::ldexp(1.0, -bias - fraction_bits + 1);
  if (exponent == 0) return sign * fraction * unit;
  return sign *
         std::ldexp(((1u << fraction_bits) + fraction) * unit, static_cast<int>(exponent) - 1);
}

template <typename Half>
Half from_bits(uint32_t bits) {
  Half half;
  half.bits = static_cast<uint16_t>(bits);
  return half;
}

template <typename Half>
void check_all(int exponent_bits, int fraction_bits) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double expected = meaning(bits, exponent_bits, fraction_bits);
    const float value = from_bits<Half>(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(Half(value)))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << bits;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    ASSERT_EQ(Half(value).bits, bits);
  }
}

// Between two neighbours: nearest, and in the very middle the even one.
template <typename Half>
void check_rounding(uint32_t infinity) {
  for (uint32_t sign : {0u, 0x8000u}) {
    for (uint32_t bits = 0; bits + 1 < infinity; ++bits) {
      const double low = static_cast<double>(static_cast<float>(from_bits<Half>(sign | bits)));
      const double high =
          static_cast<double>(static_cast<float>(from_bits<Half>(sign | (bits + 1))));
      const auto middle = static_cast<float>((low + high) / 2);
      const uint32_t even = (bits & 1) == 0 ? bits : bits + 1;
      ASSERT_EQ(Half(middle).bits, sign | even) << bits;
      ASSERT_EQ(Half(std::nextafter(middle, static_cast<float>(low))).bits, sign | bits);
      ASSERT_EQ(Half(std::nextafter(middle, static_cast<float>(high))).bits, sign | (bits + 1));
    }
  }
}

TEST(Float16, MeansWhatTheFormatSays) { check_all<float16>(5, 10); }
TEST(Float16, RoundsToNearestEven) { check_rounding<float16>(0x7C00); }
TEST(Float16, TooLargeIsInfinite) {
  EXPECT_EQ(float16(65504.f).bits, 0x7BFF);
  EXPECT_EQ(float16(std::nextafter(65520.f, 0.f)).bits, 0x7BFF);
  EXPECT_EQ(float16(65520.f).bits, 0x7C00);
  EXPECT_EQ(float16(-1e30f).bits, 0xFC00);
  EXPECT_EQ(float16(1e-30f).bits, 0);
}

TEST(BFloat16, MeansWhatTheFormatSays) { check_all<bfloat16>(8, 7); }
TEST(BFloat16, RoundsToNearestEven) { check_rounding<bfloat16>(0x7F80); }
TEST(BFloat16, TooLargeIsInfinite) {
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(bfloat16(-INFINITY).bits, 0xFF80);
}

}  // namespace
}  // namespace penstock
