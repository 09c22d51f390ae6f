// Parts of files in memory. A file can become shorter while it is mapped, by anybody's hand, and
// touching what is gone is a signal (SIGBUS) that ends the process. Not here: the first mapping
// installs a handler, which puts pages of zeros in the place of missing ones, says so on stderr
// once, and hands every other fault on to whoever handled the signal before.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/base/export.h>

namespace penstock::memory {

// Maps a part of a file, shared; null with errno set when it cannot be. `offset` is a multiple of
// the page.
PEN_API void* map_file(int descriptor, int64_t offset, size_t bytes, bool writable) noexcept;
PEN_API void unmap_file(void* pages, size_t bytes) noexcept;

}  // namespace penstock::memory
