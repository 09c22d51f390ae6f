// Memory-mapped files. Another process can truncate a mapped file; touching the missing pages then
// raises SIGBUS, which would end the process. To prevent that, the first mapping installs a handler
// that replaces missing pages with zeros, reports it once on stderr, and passes every other fault
// to the previous handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/base/export.h>

namespace penstock::memory {

// Maps a part of a file, shared; returns null and sets errno on failure.
PEN_API void* map_file(int descriptor, int64_t offset, size_t bytes, bool writable) noexcept;
PEN_API void unmap_file(void* data, size_t bytes) noexcept;

}  // namespace penstock::memory
