#include "memory/faults.h"

#include <mutex>

#include <penstock/memory/memory.h>

namespace penstock::memory {

std::atomic<bool> g_injecting{false};

namespace {

std::mutex g_lock;
Faults g_faults;
int64_t g_counted = 0;

}  // namespace

bool counts_and_fails(Tag tag) noexcept {
  const std::lock_guard lock(g_lock);
  if (g_faults.tag && *g_faults.tag != tag) return false;
  ++g_counted;
  return g_counted == g_faults.nth || (g_faults.every > 0 && g_counted % g_faults.every == 0);
}

void inject(const Faults& faults) {
  const std::lock_guard lock(g_lock);
  g_faults = faults;
  g_counted = 0;
  g_injecting.store(true, std::memory_order_relaxed);
}

int64_t end_injection() {
  const std::lock_guard lock(g_lock);
  g_injecting.store(false, std::memory_order_relaxed);
  return g_counted;
}

}  // namespace penstock::memory
