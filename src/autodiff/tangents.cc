#include "autodiff/tangents.h"

#include <map>
#include <mutex>

namespace penstock::autodiff {
namespace {

// A tangent that is freed with a buffer.
struct Dependent {
  Tangents* tangents;
  uint64_t id;
};
using Dependents = std::multimap<const Buffer*, Dependent, std::less<const Buffer*>,
                                 Counted<std::pair<const Buffer* const, Dependent>>>;

// Buffers end on any thread, so all accumulators share one lock. No tensor is freed while it is
// held.
std::mutex g_mutex;
Dependents& dependents() {
  static Dependents& all = *new Dependents;
  return all;
}

void forget(const Buffer* buffer, const Tangents* tangents, uint64_t id) {
  auto [first, last] = dependents().equal_range(buffer);
  for (; first != last; ++first) {
    if (first->second.tangents != tangents || first->second.id != id) continue;
    dependents().erase(first);
    return;
  }
}

}  // namespace

Tangents::Tangents() { set_buffer_follower(&Tangents::buffer_ended); }

Tangents::~Tangents() {
  const std::lock_guard lock(g_mutex);
  for (const auto& [id, entry] : entries_) {
    if (entry.primal != nullptr) forget(entry.primal, this, id);
  }
}

bool Tangents::has(uint64_t id) const {
  const std::lock_guard lock(g_mutex);
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.tangent.defined();
}

Tensor Tangents::find(uint64_t id) const {
  const std::lock_guard lock(g_mutex);
  const auto found = entries_.find(id);
  return found == entries_.end() ? Tensor() : found->second.tangent;
}

void Tangents::put(uint64_t id, Buffer* primal, Tensor tangent) {
  Tensor before;  // ends after the lock
  const std::lock_guard lock(g_mutex);
  Entry& entry = entries_[id];
  std::swap(before, entry.tangent);
  if (entry.primal != primal) {
    if (entry.primal != nullptr) forget(entry.primal, this, id);
    entry.primal = nullptr;
    if (primal != nullptr) {
      dependents().emplace(primal, Dependent{this, id});
      primal->is_followed.store(true, std::memory_order_relaxed);
    }
    entry.primal = primal;
  }
  entry.tangent = std::move(tangent);
}

void Tangents::buffer_ended(const Buffer* buffer) noexcept {
  // One at a time, because there is usually one: nothing is allocated when memory may be short.
  for (;;) {
    Tensor last;
    const std::lock_guard lock(g_mutex);
    const auto found = dependents().find(buffer);
    if (found == dependents().end()) return;
    const auto [tangents, id] = found->second;
    dependents().erase(found);
    const auto entry = tangents->entries_.find(id);
    std::swap(last, entry->second.tangent);
    tangents->entries_.erase(entry);
  }
}

}  // namespace penstock::autodiff
