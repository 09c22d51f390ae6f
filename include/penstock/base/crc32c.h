// CRC-32C (Castagnoli): the checksum of checkpoints and of TFRecord files.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/base/export.h>

namespace penstock {

// The checksum of `bytes` bytes. With the checksum of preceding data in `before`, the checksum of
// both together.
PEN_API uint32_t crc32c(const void* data, size_t bytes, uint32_t before = 0) noexcept;

}  // namespace penstock
