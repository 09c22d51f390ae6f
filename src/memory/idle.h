// Returns idle memory to the system: blocks that were cached and not reused for a moment. A thread
// does this; it starts when something is first cached, and sleeps while nothing is.
#pragma once

#include <cstdint>

namespace penstock::memory {

// Milliseconds of a clock that takes a few nanoseconds to read.
int64_t coarse_now() noexcept;

// Call after something was put into a cache, without holding a cache's lock.
void watch_idle() noexcept;

// Implemented by the caches: returns what was cached before `time`, and says whether anything is
// left.
bool release_idle_pages(int64_t time) noexcept;
bool release_idle_small(int64_t time) noexcept;

// Around a fork: keeps other threads out of the cache while the process is copied.
void lock_pages() noexcept;
void unlock_pages() noexcept;
void lock_small() noexcept;
void unlock_small() noexcept;

}  // namespace penstock::memory
