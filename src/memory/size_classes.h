// Size classes of small blocks: steps of 64 bytes up to 1 KiB, then four steps per doubling.
#pragma once

#include <bit>
#include <cstddef>

#include "memory/blocks.h"

namespace penstock::memory {

inline constexpr size_t kNumSizeClasses = 16 + 4 * 5;  // 64 … 1024, then to 32 KiB

// The class that holds `bytes`. Pre: 0 < bytes <= kMaxSmallBytes.
constexpr size_t size_class_of(size_t bytes) {
  if (bytes <= 1024) return (bytes + 63) / 64 - 1;
  const size_t octave = static_cast<size_t>(std::bit_width(bytes - 1)) - 11;  // (1 KiB, 2 KiB] is 0
  const size_t step = (1024 << octave) / 4;
  return 16 + octave * 4 + (bytes - (1024 << octave) + step - 1) / step - 1;
}

// Bytes of a block of that class.
constexpr size_t size_class_bytes(size_t size_class) {
  if (size_class < 16) return (size_class + 1) * 64;
  const size_t octave = (size_class - 16) / 4;
  const size_t step = (1024 << octave) / 4;
  return (1024 << octave) + ((size_class - 16) % 4 + 1) * step;
}

static_assert(size_class_of(1) == 0 && size_class_of(64) == 0 && size_class_of(65) == 1);
static_assert(size_class_of(1025) == 16 && size_class_bytes(16) == 1280);
static_assert(size_class_of(kMaxSmallBytes) == kNumSizeClasses - 1);
static_assert(size_class_bytes(kNumSizeClasses - 1) == kMaxSmallBytes);

}  // namespace penstock::memory
