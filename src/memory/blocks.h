// Blocks: raw memory for buffers and strings, 64-byte aligned, in three size ranges.
//
//   small   up to kMaxSmallBytes: size classes, cut from chunks, with a cache per thread
//   medium  up to kMaxCachedBytes: whole pages; free ones are kept for reuse within a limit
//   large   beyond that: straight from the system and straight back
//
// Nothing here throws; a null block means that the system is out of memory. Nothing here calls
// malloc, and no thread-local object has a destructor: both can end the process when memory is
// exhausted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::memory {

inline constexpr size_t kMaxSmallBytes = 32 << 10;
inline constexpr size_t kMaxCachedBytes = 96 << 20;

struct Block {
  void* data = nullptr;
  size_t bytes = 0;  // at least the size requested; pass it back with the block
};

Block allocate_block(size_t bytes) noexcept;
void free_block(Block block) noexcept;
// Returns the pages behind the first `bytes` if that frees any; returns the block's new size.
size_t shrink_block(Block block, size_t bytes) noexcept;

// The implementations, by range.
Block allocate_small(size_t bytes) noexcept;
void free_small(Block block) noexcept;
void trim_small() noexcept;
int64_t cached_small_bytes() noexcept;
Block allocate_pages(size_t bytes) noexcept;
void free_pages(Block block) noexcept;
void trim_pages() noexcept;
void set_page_cache_limit(int64_t bytes) noexcept;
int64_t cached_page_bytes() noexcept;

}  // namespace penstock::memory
