// The implementations of CRC-32C: by tables, and by instructions if the machine has them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::crc32c_impl {

// Both take and return the state: the checksum with its bits inverted.
uint32_t by_tables(const void* data, size_t bytes, uint32_t state) noexcept;
// Pre: has_instructions().
uint32_t by_instructions(const void* data, size_t bytes, uint32_t state) noexcept;
bool has_instructions() noexcept;

}  // namespace penstock::crc32c_impl
