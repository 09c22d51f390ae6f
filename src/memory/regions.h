// Regions: the addresses mapped for blocks, to find out how much of them is resident: an untouched
// page is not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::memory::regions {

void add(void* pages, size_t bytes) noexcept;
// Shortens the region that starts there.
void shrink(void* pages, size_t bytes) noexcept;
void remove(void* pages) noexcept;
// Resident bytes of all regions.
int64_t resident_bytes() noexcept;
// The same for any range of whole pages.
int64_t resident_bytes(void* pages, size_t bytes) noexcept;

// Around a fork: keeps other threads out while the process is copied.
void lock() noexcept;
void unlock() noexcept;

}  // namespace penstock::memory::regions
