// Sizes of pieces that lie one after the other in a block.
#pragma once

#include <cstdint>

#include <penstock/memory/buffer.h>

namespace penstock {

// The bytes up to where the next aligned piece may begin.
inline int64_t aligned(int64_t bytes) {
  constexpr auto kStep = static_cast<int64_t>(kAlignment);
  return (bytes + kStep - 1) / kStep * kStep;
}

}  // namespace penstock
