#include "kernels/text.h"

#include <bit>
#include <cstring>
#include <utility>

namespace penstock::kernels {
namespace {

template <typename Word>
Word load(const char* from) {
  static_assert(std::endian::native == std::endian::little);
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
uint64_t load64(const char* from) { return load<uint64_t>(from); }

constexpr uint64_t kFarm0 = 0xC3A5C85C97CB3127u;
constexpr uint64_t kFarm1 = 0xB492B66FBE98F273u;
constexpr uint64_t kFarm2 = 0x9AE16A3B2F90404Fu;

uint64_t shift_mix(uint64_t value) { return value ^ (value >> 47); }

uint64_t farm_mix(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = shift_mix((u ^ v) * mul);
  return shift_mix((v ^ a) * mul) * mul;
}

uint64_t farm_short(const char* s, size_t size) {
  if (size >= 8) {
    const uint64_t mul = kFarm2 + size * 2;
    const uint64_t a = load64(s) + kFarm2;
    const uint64_t b = load64(s + size - 8);
    return farm_mix(std::rotr(b, 37) * mul + a, (std::rotr(a, 25) + b) * mul, mul);
  }
  if (size >= 4) {
    const uint64_t a = load<uint32_t>(s);
    return farm_mix(size + (a << 3), load<uint32_t>(s + size - 4), kFarm2 + size * 2);
  }
  if (size == 0) return kFarm2;
  const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(s[i])}; };
  const uint32_t y = byte(0) + (byte(size >> 1) << 8);
  const uint32_t z = static_cast<uint32_t>(size) + (byte(size - 1) << 2);
  return shift_mix(y * kFarm2 ^ z * kFarm0) * kFarm2;
}

uint64_t farm_to_32(const char* s, size_t size) {
  const uint64_t mul = kFarm2 + size * 2;
  const uint64_t a = load64(s) * kFarm1;
  const uint64_t b = load64(s + 8);
  const uint64_t c = load64(s + size - 8) * mul;
  const uint64_t d = load64(s + size - 16) * kFarm2;
  return farm_mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kFarm2, 18) + c,
                  mul);
}

uint64_t farm_to_64(const char* s, size_t size) {
  const uint64_t mul = kFarm2 + size * 2;
  const uint64_t a = load64(s) * kFarm2;
  const uint64_t b = load64(s + 8);
  const uint64_t c = load64(s + size - 8) * mul;
  const uint64_t d = load64(s + size - 16) * kFarm2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = farm_mix(y, a + std::rotr(b + kFarm2, 18) + c, mul);
  const uint64_t e = load64(s + 16) * mul;
  const uint64_t f = load64(s + 24);
  const uint64_t g = (y + load64(s + size - 32)) * mul;
  const uint64_t h = (z + load64(s + size - 24)) * mul;
  return farm_mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, mul);
}

struct Pair {
  uint64_t first = 0, second = 0;
};
Pair farm_weak(const char* s, uint64_t a, uint64_t b) {
  const uint64_t z = load64(s + 24);
  a += load64(s);
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += load64(s + 8);
  a += load64(s + 16);
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

struct FarmState {
  uint64_t x, y, z;
  Pair v, w;

  void step(const char* s, uint64_t mul, uint64_t ninth) {
    x = std::rotr(x + y + v.first + load64(s + 8), 37) * mul;
    y = std::rotr(y + v.second + load64(s + 48), 42) * mul;
    x ^= w.second * ninth;
    y += v.first * ninth + load64(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = farm_weak(s, v.second * mul, x + w.first);
    w = farm_weak(s + 32, z + w.second, y + load64(s + 16));
    std::swap(z, x);
  }
};

uint64_t farm_long(const char* s, size_t size) {
  constexpr uint64_t kSeed = 81;
  FarmState state{kSeed * kFarm2 + load64(s), kSeed * kFarm1 + 113, 0, {}, {}};
  state.z = shift_mix(state.y * kFarm2 + 113) * kFarm2;
  const char* end = s + (size - 1) / 64 * 64;
  const char* last = end + ((size - 1) & 63) - 63;
  for (; s != end; s += 64) state.step(s, kFarm1, 1);
  const uint64_t mul = kFarm1 + ((state.z & 0xFF) << 1);
  state.w.first += (size - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.step(last, mul, 9);
  return farm_mix(
      farm_mix(state.v.first, state.w.first, mul) + shift_mix(state.y) * kFarm0 + state.z,
      farm_mix(state.v.second, state.w.second, mul) + state.x, mul);
}

struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void add(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

// The remaining bytes, in the low end of a word.
uint64_t load_rest(std::string_view rest) {
  uint64_t word = 0;
  if (!rest.empty()) std::memcpy(&word, rest.data(), rest.size());
  return word;
}

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '-' ? 62 : c == '_' ? 63 : -1;
}

}  // namespace

uint64_t farm_fingerprint(std::string_view text) {
  const size_t size = text.size();
  if (size <= 16) return farm_short(text.data(), size);
  if (size <= 32) return farm_to_32(text.data(), size);
  if (size <= 64) return farm_to_64(text.data(), size);
  return farm_long(text.data(), size);
}

uint64_t sip_hash(std::string_view text, uint64_t key0, uint64_t key1) {
  SipState state{key0 ^ 0x736F6D6570736575u, key1 ^ 0x646F72616E646F6Du, key0 ^ 0x6C7967656E657261u,
                 key1 ^ 0x7465646279746573u};
  const uint64_t length = uint64_t{text.size()} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) state.add(load64(text.data()));
  state.add(load_rest(text) | length);
  state.v2 ^= 0xFF;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

uint64_t murmur_hash(std::string_view text) {
  constexpr uint64_t kMul = 0xC6A4A7935BD1E995u;
  uint64_t hash = 0xDECAFCAFFEu ^ (text.size() * kMul);
  const auto mix = [](uint64_t word) {
    word *= kMul;
    return (word ^ (word >> 47)) * kMul;
  };
  for (; text.size() >= 8; text.remove_prefix(8)) hash = (hash ^ mix(load64(text.data()))) * kMul;
  if (!text.empty()) hash = (hash ^ load_rest(text)) * kMul;
  hash = shift_mix(hash) * kMul;
  return shift_mix(hash);
}

int64_t count_characters(std::string_view text) {
  int64_t count = 0;
  for (char c : text) count += is_trail_byte(c) ? 0 : 1;
  return count;
}

size_t skip_characters(std::string_view text, size_t from, int64_t count) {
  while (from < text.size() && count > 0) {
    ++from;
    while (from < text.size() && is_trail_byte(text[from])) ++from;
    --count;
  }
  return from;
}

size_t skip_characters_back(std::string_view text, int64_t count) {
  size_t at = text.size();
  for (; at > 0 && count > 0; --count) {
    --at;
    while (at > 0 && is_trail_byte(text[at])) --at;
  }
  return at;
}

char32_t decode_utf8(std::string_view text, size_t* at) {
  constexpr char32_t kReplacement = 0xFFFD;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte((*at)++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF8 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : -1;
  if (more < 0 || first >= 0xF8) return kReplacement;
  char32_t code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (*at == text.size() || !is_trail_byte(text[*at])) return kReplacement;
    code = (code << 6) | (byte((*at)++) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return code < kLeast[more] || code > 0x10FFFF || is_surrogate ? kReplacement : code;
}

size_t encode_utf8(char32_t code, char* to) {
  const size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  if (to == nullptr) return size;
  if (size == 1) {
    to[0] = static_cast<char>(code);
    return 1;
  }
  for (size_t i = size - 1; i > 0; --i, code >>= 6) to[i] = static_cast<char>(0x80 | (code & 0x3F));
  constexpr unsigned kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  to[0] = static_cast<char>(kLead[size] | code);
  return size;
}

size_t base64_size(size_t bytes, bool pad) {
  const size_t rest = bytes % 3;
  return bytes / 3 * 4 + (rest == 0 ? 0 : pad ? 4 : rest + 1);
}

void encode_base64(std::string_view bytes, bool pad, char* to) {
  for (; !bytes.empty(); bytes.remove_prefix(bytes.size() < 3 ? bytes.size() : 3)) {
    const size_t size = bytes.size() < 3 ? bytes.size() : 3;
    unsigned word = 0;
    for (size_t i = 0; i < 3; ++i) {
      word = (word << 8) | (i < size ? static_cast<unsigned char>(bytes[i]) : 0u);
    }
    for (size_t i = 0; i < 4; ++i) {
      if (i <= size) {
        *to++ = kBase64[(word >> (18 - 6 * i)) & 63];
      } else if (pad) {
        *to++ = '=';
      }
    }
  }
}

int64_t decode_base64(std::string_view text, char* to) {
  if (text.size() % 4 == 0 && text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  if (text.size() % 4 == 1) return -1;
  int64_t written = 0;
  unsigned word = 0;
  int bits = 0;
  for (char c : text) {
    const int value = base64_value(c);
    if (value < 0) return -2;
    word = (word << 6) | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    if (to != nullptr) to[written] = static_cast<char>((word >> bits) & 0xFF);
    ++written;
  }
  return written;
}

}  // namespace penstock::kernels
