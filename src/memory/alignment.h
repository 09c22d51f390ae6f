// Sizes of aligned pieces that are packed into a block.
#pragma once

#include <cstdint>

#include <penstock/memory/buffer.h>

namespace penstock {

// The bytes up to the start of the next aligned piece.
inline int64_t aligned(int64_t bytes) {
  constexpr auto kStep = static_cast<int64_t>(kAlignment);
  return (bytes + kStep - 1) / kStep * kStep;
}

}  // namespace penstock
