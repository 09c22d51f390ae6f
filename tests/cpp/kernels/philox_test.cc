// Tests of Philox: known answers, and streams in parts.
#include "kernels/philox.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/random_fill.h"

namespace penstock::kernels {
namespace {

// The vectors published with Random123 (kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Threads take parts of the stream; a shorter one is its beginning.
TEST(Philox, LongStreamsBeginLikeShortOnes) {
  std::vector<float> small(10), large(100003);
  random_normal(DType::kFloat32, PhiloxStream::seeded(5, 6), small.data(), 10);
  random_normal(DType::kFloat32, PhiloxStream::seeded(5, 6), large.data(), 100003);
  for (size_t i = 0; i < small.size(); ++i) EXPECT_EQ(small[i], large[i]);
  double sum = 0, squares = 0;
  for (float x : large) {
    sum += x;
    squares += double{x} * x;
  }
  EXPECT_NEAR(sum / 100003, 0, 0.02);
  EXPECT_NEAR(squares / 100003, 1, 0.02);
}

}  // namespace
}  // namespace penstock::kernels
