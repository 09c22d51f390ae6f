// Memory control: the bytes held, the budget, returning pages to the system, injected failures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/device.h>
#include <penstock/ledger/ledger.h>

namespace penstock::memory {

// Bytes held on `device`: current, peak and total; and the number of allocations.
PEN_API MemoryCounters info(Device device = {});
PEN_API MemoryCounters info(Tag tag, Device device = {});
// Resets the peaks of `device` to its current bytes.
PEN_API void reset_peak(Device device = {});

// A hard limit on the bytes that `device` holds. An allocation beyond it throws
// ResourceExhaustedError and leaves everything usable. Initially PENSTOCK_BUDGET ("512MiB"), or the
// memory of the machine or container.
PEN_API void set_budget(int64_t bytes, Device device = {});
PEN_API int64_t budget(Device device = {});
// Parses "64", "512MiB", "1.5GB"; throws InvalidArgumentError for anything else.
PEN_API int64_t parse_bytes(std::string_view text);

// The allocator's memory beyond the ledger's bytes.
struct Stats {
  int64_t mapped = 0;  // bytes obtained from the system
  int64_t cached = 0;  // bytes of free blocks kept for reuse
};
PEN_API Stats stats();
// The mapped bytes that are resident: untouched pages are not. Checks every page.
PEN_API int64_t resident_bytes();
// The same for any range of whole pages.
PEN_API int64_t resident_bytes(void* pages, size_t bytes);
// The bytes of large free blocks that may be kept for reuse (128 MiB by default). Blocks unused for
// about a second are returned.
PEN_API void set_cache_limit(int64_t bytes);
// Returns every cached page to the system; other threads' small caches follow at their next use.
PEN_API void trim();

// Fault injection: makes allocations fail as if there were no memory.
struct Faults {
  int64_t nth = 0;              // the nth allocation from now; 1 is the next, 0: none
  int64_t every = 0;            // every k-th; 0: none
  std::optional<Tag> tag = {};  // only allocations with this tag count
};
PEN_API void inject(const Faults& faults);
// Ends injection; returns the number of allocations counted since inject().
PEN_API int64_t end_injection();

}  // namespace penstock::memory
