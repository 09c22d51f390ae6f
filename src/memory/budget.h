// The default budget.
#pragma once

#include <atomic>

namespace penstock::memory {

extern std::atomic<bool> g_has_default_budget;
void set_default_budget() noexcept;

// Sets PENSTOCK_BUDGET or the machine's memory as the limit, at the first allocation.
inline void apply_default_budget() noexcept {
  if (__builtin_expect(!g_has_default_budget.load(std::memory_order_acquire), 0))
    set_default_budget();
}

}  // namespace penstock::memory
