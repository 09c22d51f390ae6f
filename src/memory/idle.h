// Idle memory: what is cached for reuse and was not used again for a moment goes back to the system
// by itself. A thread of its own does that; it is started when something is cached for the first
// time, and sleeps while nothing is.
#pragma once

#include <cstdint>

namespace penstock::memory {

// Milliseconds of a clock that costs a few nanoseconds to read.
int64_t coarse_now() noexcept;

// Something was put into a cache; to be called without a lock of theirs held.
void watch_idle() noexcept;

// What the caches do about it: give back what was put there before `time`, and say whether anything
// is left.
bool release_idle_pages(int64_t time) noexcept;
bool release_idle_small(int64_t time) noexcept;

// Around a fork: nobody else is inside the cache while the process is copied.
void lock_pages() noexcept;
void unlock_pages() noexcept;
void lock_small() noexcept;
void unlock_small() noexcept;

}  // namespace penstock::memory
