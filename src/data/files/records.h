// The framing of TFRecord files: length, checksum, bytes, checksum, one record after the other.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <penstock/core/dtype.h>

#include "data/files/file_reader.h"

namespace penstock::data {

// A checksum as it is in a record, masked because a record may itself contain checksums.
uint32_t mask_crc(uint32_t crc) noexcept;
uint32_t masked_crc(const void* data, size_t bytes) noexcept;

inline constexpr size_t kRecordHeader = 12;
inline constexpr size_t kRecordFooter = 4;
// What stands before a record of these bytes, and after it.
std::array<char, kRecordHeader> record_header(uint64_t length) noexcept;
std::array<char, kRecordFooter> record_footer(uint32_t masked) noexcept;

// The next record as a string with one reference; false at the end, which a record that is cut is
// too. Throws DataLossError for a wrong checksum.
bool read_record(FileReader& file, StringRef* record);

}  // namespace penstock::data
