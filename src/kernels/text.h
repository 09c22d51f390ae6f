// Text as bytes: hashes, UTF-8 and base64. Independent of string tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock::kernels {

// FarmHash's Fingerprint64, SipHash-2-4 with a key, and a 64-bit Murmur hash: TensorFlow's hash
// buckets use them, and the numbers must match.
uint64_t farm_fingerprint(std::string_view text);
uint64_t sip_hash(std::string_view text, uint64_t key0, uint64_t key1);
uint64_t murmur_hash(std::string_view text);

// Bytes that continue a character of UTF-8.
inline bool is_trail_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// Characters: bytes that do not continue one.
int64_t count_characters(std::string_view text);
// The start of the `count`-th next character after byte `from`; the end if there are fewer.
size_t skip_characters(std::string_view text, size_t from, int64_t count);
// The start of the `count`-th character from the end; 0 if there are fewer.
size_t skip_characters_back(std::string_view text, int64_t count);

// The code point at *at, which advances past it; U+FFFD for invalid UTF-8.
char32_t decode_utf8(std::string_view text, size_t* at);
// Writes a code point's bytes, unless `to` is null, and returns their number.
size_t encode_utf8(char32_t code, char* to);

// Web-safe base64 (with - and _).
size_t base64_size(size_t bytes, bool pad);
void encode_base64(std::string_view bytes, bool pad, char* to);
// The decoded size of `text`; the bytes are written to `to` unless that is null. Negative if it is
// invalid: -1 for a wrong length, -2 for a wrong character.
int64_t decode_base64(std::string_view text, char* to);

}  // namespace penstock::kernels
