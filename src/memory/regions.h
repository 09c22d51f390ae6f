// Regions: which addresses were mapped for blocks, so that it can be told how much of them is in
// memory: a page that nobody wrote to costs none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::memory::regions {

void add(void* pages, size_t bytes) noexcept;
// The region that starts there ends earlier.
void shrink(void* pages, size_t bytes) noexcept;
void remove(void* pages) noexcept;
// Bytes of all regions that are in memory.
int64_t resident_bytes() noexcept;
// The same of whole pages anywhere.
int64_t resident_bytes(void* pages, size_t bytes) noexcept;

// Around a fork: nobody else is inside while the process is copied.
void lock() noexcept;
void unlock() noexcept;

}  // namespace penstock::memory::regions
