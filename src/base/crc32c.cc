#include <penstock/base/crc32c.h>

#include <array>
#include <bit>
#include <cstring>

#include "base/crc32c.h"

namespace penstock {
namespace crc32c_impl {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;

using Table = std::array<uint32_t, 256>;

// The effect of a byte on an empty state, and with 1 to 7 zero bytes after it.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = state;
  }
  for (size_t i = 1; i < 8; ++i) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t state = tables[i - 1][byte];
      tables[i][byte] = (state >> 8) ^ tables[0][state & 255];
    }
  }
  return tables;
}
constexpr std::array<Table, 8> kTables = make_tables();

uint64_t word_at(const unsigned char* at) noexcept {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

uint32_t by_tables(const void* data, size_t bytes, uint32_t state) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    const uint64_t word = word_at(at) ^ state;
    state = 0;
    for (size_t i = 0; i < 8; ++i) state ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (; bytes > 0; ++at, --bytes) state = (state >> 8) ^ kTables[0][(state ^ *at) & 255];
  return state;
}

#if defined(__x86_64__)
namespace {

// The instruction has a latency of three cycles and a throughput of one, so three parts of the data
// are processed at once. Tables then shift a part's state over the bytes behind it.
constexpr size_t kLong = 4096, kShort = 256;

// The effect of `count` zero bytes on each of the state's four bytes. A power of two.
constexpr std::array<Table, 4> make_shift(size_t count) {
  std::array<uint32_t, 32> moved{};  // of each bit
  for (uint32_t bit = 0; bit < 32; ++bit) {
    const uint32_t state = uint32_t{1} << bit;
    moved[bit] = (state >> 8) ^ kTables[0][state & 255];
  }
  const auto apply = [&moved](uint32_t state) {
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if ((state >> bit & 1) != 0) result ^= moved[bit];
    }
    return result;
  };
  for (; count > 1; count /= 2) {
    std::array<uint32_t, 32> twice{};
    for (size_t bit = 0; bit < 32; ++bit) twice[bit] = apply(moved[bit]);
    moved = twice;
  }
  std::array<Table, 4> tables{};
  for (uint32_t i = 0; i < 4; ++i) {
    for (uint32_t byte = 0; byte < 256; ++byte) tables[i][byte] = apply(byte << (8 * i));
  }
  return tables;
}
constexpr std::array<Table, 4> kOverLong = make_shift(kLong), kOverShort = make_shift(kShort);

uint32_t shifted(const std::array<Table, 4>& tables, uint64_t state) noexcept {
  return tables[0][state & 255] ^ tables[1][state >> 8 & 255] ^ tables[2][state >> 16 & 255] ^
         tables[3][state >> 24 & 255];
}

[[gnu::target("sse4.2")]] uint32_t three_parts(const unsigned char* at, size_t part, uint32_t state,
                                               const std::array<Table, 4>& over) noexcept {
  uint64_t a = state, b = 0, c = 0;
  for (size_t i = 0; i < part; i += 8) {
    a = __builtin_ia32_crc32di(a, word_at(at + i));
    b = __builtin_ia32_crc32di(b, word_at(at + part + i));
    c = __builtin_ia32_crc32di(c, word_at(at + 2 * part + i));
  }
  return shifted(over, shifted(over, a) ^ b) ^ static_cast<uint32_t>(c);
}

}  // namespace

[[gnu::target("sse4.2")]] uint32_t by_instructions(const void* data, size_t bytes,
                                                   uint32_t state) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  for (; bytes >= 3 * kLong; at += 3 * kLong, bytes -= 3 * kLong)
    state = three_parts(at, kLong, state, kOverLong);
  for (; bytes >= 3 * kShort; at += 3 * kShort, bytes -= 3 * kShort)
    state = three_parts(at, kShort, state, kOverShort);
  for (; bytes >= 8; at += 8, bytes -= 8)
    state = static_cast<uint32_t>(__builtin_ia32_crc32di(state, word_at(at)));
  for (; bytes > 0; ++at, --bytes) state = __builtin_ia32_crc32qi(state, *at);
  return state;
}

bool has_instructions() noexcept {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#else
uint32_t by_instructions(const void* data, size_t bytes, uint32_t state) noexcept {
  return by_tables(data, bytes, state);
}
bool has_instructions() noexcept { return false; }
#endif

}  // namespace crc32c_impl

uint32_t crc32c(const void* data, size_t bytes, uint32_t before) noexcept {
  using namespace crc32c_impl;
  return ~(has_instructions() ? by_instructions(data, bytes, ~before)
                              : by_tables(data, bytes, ~before));
}

}  // namespace penstock
