// Tests of CRC-32C: known values, continuation, tables against instructions.
#include <penstock/base/crc32c.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/crc32c.h"

namespace penstock {
namespace {

std::vector<unsigned char> noise(size_t count) {
  std::vector<unsigned char> bytes(count);
  uint32_t state = 1;
  for (unsigned char& byte : bytes)
    byte = static_cast<unsigned char>((state = state * 747796405 + 1) >> 24);
  return bytes;
}

// From RFC 3720, B.4, and the check value of the CRC's definition.
TEST(Crc32c, HasTheKnownValues) {
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62A8AB43u);
  EXPECT_EQ(crc32c(nullptr, 0), 0u);
}

TEST(Crc32c, GoesOnFromWhatCameBefore) {
  const auto data = noise(30000);
  const uint32_t all = crc32c(data.data(), data.size());
  for (size_t at : {0, 1, 7, 255, 768, 12288, 12289, 29999, 30000})
    EXPECT_EQ(crc32c(data.data() + at, data.size() - at, crc32c(data.data(), at)), all) << at;
}

TEST(Crc32c, TablesAndInstructionsAgree) {
  if (!crc32c_impl::has_instructions()) GTEST_SKIP() << "this machine has none";
  const auto data = noise(60000);
  for (size_t count = 0; count < 50000; count = count * 5 / 4 + 1) {
    const unsigned char* at = data.data() + count % 11;
    EXPECT_EQ(crc32c_impl::by_instructions(at, count, 5), crc32c_impl::by_tables(at, count, 5))
        << count;
  }
}

}  // namespace
}  // namespace penstock
