#include "data/files/records.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <penstock/base/crc32c.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

namespace penstock::data {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// A string that is released unless it is taken.
struct Owned {
  StringRef string{};
  ~Owned() { release_strings({&string, 1}); }
  StringRef take() { return std::exchange(string, StringRef{}); }
};

// A length may be anything. Memory for longer records is requested only for what the file has.
constexpr uint64_t kTrusted = 16 << 20;

}  // namespace

uint32_t mask_crc(uint32_t crc) noexcept { return std::rotr(crc, 15) + 0xA282EAD8u; }
uint32_t masked_crc(const void* data, size_t bytes) noexcept {
  return mask_crc(crc32c(data, bytes));
}

std::array<char, kRecordHeader> record_header(uint64_t length) noexcept {
  std::array<char, kRecordHeader> header;
  std::memcpy(header.data(), &length, sizeof(length));
  const uint32_t crc = masked_crc(&length, sizeof(length));
  std::memcpy(header.data() + sizeof(length), &crc, sizeof(crc));
  return header;
}

std::array<char, kRecordFooter> record_footer(uint32_t masked) noexcept {
  std::array<char, kRecordFooter> footer;
  std::memcpy(footer.data(), &masked, sizeof(masked));
  return footer;
}

bool read_record(FileReader& file, StringRef* record) {
  const int64_t start = file.position();
  char header[kRecordHeader];
  if (file.read(header, sizeof(header)) < sizeof(header)) return false;
  if (masked_crc(header, 8) != load<uint32_t>(header + 8))
    throw DataLossError(
        cat("corrupted record at ", start, start == 0 ? " (Is this even a TFRecord file?)" : ""));
  const auto length = load<uint64_t>(header);
  Owned owned;
  char* text = nullptr;
  const int64_t left = length > kTrusted ? file.bytes_left() : 0;
  if (left == FileReader::kUnknownSize) {
    ByteBuffer found;
    while (found.size() < length) {
      const std::string_view next =
          file.peek().substr(0, static_cast<size_t>(length - found.size()));
      if (next.empty()) return false;
      found.append(next);
      file.consume(next.size());
    }
    owned.string = make_string(found.size(), &text);
    std::memcpy(text, found.data(), found.size());
  } else {
    if (length > kTrusted && length > static_cast<uint64_t>(left)) return false;
    owned.string = make_string(static_cast<size_t>(length), &text);
    if (file.read(text, static_cast<size_t>(length)) < length) return false;
  }
  char footer[kRecordFooter];
  if (file.read(footer, sizeof(footer)) < sizeof(footer)) return false;
  if (masked_crc(text, static_cast<size_t>(length)) != load<uint32_t>(footer))
    throw DataLossError(cat("corrupted record at ", start + static_cast<int64_t>(kRecordHeader)));
  *record = owned.take();
  return true;
}

}  // namespace penstock::data
