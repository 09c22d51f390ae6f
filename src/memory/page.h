// The size of a page of memory, which is the kernel's choice: 4 KiB on x86, up to 64 KiB on ARM.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace penstock::memory {

inline constexpr size_t kLeastPageBytes = 4096;

// A power of two. Safe in signal handlers.
inline size_t page_bytes() noexcept { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

inline size_t round_to_pages(size_t bytes) noexcept {
  const size_t page = page_bytes();
  return (bytes + page - 1) & ~(page - 1);
}

// The first address of the page of `address`.
inline uintptr_t page_of(uintptr_t address) noexcept { return address & ~(page_bytes() - 1); }

}  // namespace penstock::memory
