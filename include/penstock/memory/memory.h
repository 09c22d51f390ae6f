// Memory under control: what is held, the budget, giving pages back, and failing on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/device.h>
#include <penstock/ledger/ledger.h>

namespace penstock::memory {

// Bytes held on `device`: now, at the peak, ever; and the number of allocations.
PEN_API MemoryCounters info(Device device = {});
PEN_API MemoryCounters info(Tag tag, Device device = {});
// The peaks of `device` become what it holds now.
PEN_API void reset_peak(Device device = {});

// A hard limit on the bytes that `device` holds. An allocation past it throws
// ResourceExhaustedError and leaves everything usable. Initially PENSTOCK_BUDGET ("512MiB"), or the
// machine's (or the container's) memory.
PEN_API void set_budget(int64_t bytes, Device device = {});
PEN_API int64_t budget(Device device = {});
// Bytes in "64", "512MiB", "1.5GB"; throws InvalidArgumentError for anything else.
PEN_API int64_t parse_bytes(std::string_view text);

// What the allocator holds from the system beyond the ledger's bytes.
struct Stats {
  int64_t mapped = 0;  // bytes obtained from the system
  int64_t cached = 0;  // bytes of free blocks kept for reuse
};
PEN_API Stats stats();
// Bytes of what is mapped that are in memory: a page that nobody wrote to is not. Looks at each.
PEN_API int64_t resident_bytes();
// The same of whole pages anywhere.
PEN_API int64_t resident_bytes(void* pages, size_t bytes);
// Bytes of larger free blocks that may be kept for reuse (128 MiB unless set), until they were not
// used for about a second.
PEN_API void set_cache_limit(int64_t bytes);
// Returns every cached page to the system; other threads' small caches follow at their next use.
PEN_API void trim();

// Fault injection: makes allocations fail as if there were no memory.
struct Faults {
  int64_t nth = 0;              // the nth allocation from now on, 1 is the next; 0: none
  int64_t every = 0;            // every k-th; 0: none
  std::optional<Tag> tag = {};  // only allocations with this tag count
};
PEN_API void inject(const Faults& faults);
// Ends injection; how many allocations counted since inject().
PEN_API int64_t end_injection();

}  // namespace penstock::memory
