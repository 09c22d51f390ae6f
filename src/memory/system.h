// Pages from the operating system: the only place that requests them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/page.h"

namespace penstock::memory {

// Fresh zeroed pages, or null. `bytes` is a multiple of the page size, `alignment` a power of two;
// pages are aligned to their own size at least.
void* map_pages(size_t bytes, size_t alignment = kLeastPageBytes) noexcept;
void unmap_pages(void* pages, size_t bytes) noexcept;
// Returns the pages behind the first `kept` of `bytes`.
void unmap_tail(void* pages, size_t bytes, size_t kept) noexcept;
// Bytes mapped now.
int64_t mapped_bytes() noexcept;

// The machine's memory, or the container's limit if that is less.
int64_t physical_bytes() noexcept;

}  // namespace penstock::memory
