// The size of a page of memory.
#pragma once

#include <cstddef>

namespace penstock::memory {

inline constexpr size_t kPageBytes = 4096;

}  // namespace penstock::memory
