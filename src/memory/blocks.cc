#include "memory/blocks.h"

#include <cstdlib>

#include "memory/system.h"

namespace penstock::memory {

#if defined(PENSTOCK_SANITIZE_ADDRESS)

// Under the address sanitizer every block is a separate allocation, so that it sees each overrun.
Block allocate_block(size_t bytes) noexcept {
  const size_t rounded = (bytes + 63) & ~size_t{63};
  if (rounded < bytes) return {};
  return {std::aligned_alloc(64, rounded), bytes};
}
void free_block(Block block) noexcept { std::free(block.data); }
size_t shrink_block(Block block, size_t) noexcept { return block.bytes; }

#else

Block allocate_block(size_t bytes) noexcept {
  return bytes <= kMaxSmallBytes ? allocate_small(bytes) : allocate_pages(bytes);
}

void free_block(Block block) noexcept {
  if (block.bytes <= kMaxSmallBytes) {
    free_small(block);
  } else {
    free_pages(block);
  }
}

size_t shrink_block(Block block, size_t bytes) noexcept {
  const size_t kept = round_to_pages(bytes);
  if (block.bytes <= kMaxSmallBytes || kept <= kMaxSmallBytes || kept >= block.bytes)
    return block.bytes;
  unmap_tail(block.data, block.bytes, kept);
  return kept;
}

#endif

}  // namespace penstock::memory
