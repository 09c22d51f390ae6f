#include "graph/random_state.h"

#include <atomic>

namespace penstock {

// Counts the calls of restart_all.
static std::atomic<uint64_t> g_epoch{0};

void RandomState::restart_all() { g_epoch.fetch_add(1, std::memory_order_relaxed); }

int64_t RandomState::take(int64_t blocks) {
  RandomState& state = source_ == nullptr ? *this : *source_;
  const std::lock_guard lock(state.mutex_);
  if (source_ != nullptr) return state.last_;
  const uint64_t epoch = g_epoch.load(std::memory_order_relaxed);
  if (epoch_ != epoch && restarts_ == Restarts::kWithSeed) next_ = 0;
  epoch_ = epoch;
  last_ = next_;
  next_ = static_cast<int64_t>(static_cast<uint64_t>(next_) + static_cast<uint64_t>(blocks));
  return last_;
}

RandomStateRef repeated(const RandomStateRef& first) {
  return make_random_state(first->source() == nullptr ? first : first->source());
}

}  // namespace penstock
