// Repeats one element.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::kernels {

// Writes `count` copies of the element of `size` bytes at `value`.
void fill(void* out, const void* value, size_t size, int64_t count);

}  // namespace penstock::kernels
