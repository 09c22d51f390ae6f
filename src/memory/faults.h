// The switch behind memory::inject, checked at every allocation.
#pragma once

#include <atomic>

#include <penstock/ledger/ledger.h>

namespace penstock::memory {

extern std::atomic<bool> g_injecting;
bool counts_and_fails(Tag tag) noexcept;

// True if this allocation must fail.
inline bool should_fail(Tag tag) noexcept {
  return g_injecting.load(std::memory_order_relaxed) && counts_and_fails(tag);
}

}  // namespace penstock::memory
