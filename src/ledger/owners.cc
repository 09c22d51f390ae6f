// Owners: names for slots of the ledger.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "ledger/tallies.h"

namespace penstock::ledger {
namespace {

constexpr size_t kNameBytes = 64;

// Static, so that naming an owner never allocates.
constinit std::mutex g_lock;
char g_names[kMaxOwners][kNameBytes] = {"unnamed"};
OwnerKind g_kinds[kMaxOwners] = {};
std::atomic<uint32_t> g_serials[kMaxOwners] = {};  // set last, and read first without the lock
bool g_retired[kMaxOwners] = {};                   // reusable once its bytes are gone
int g_num_owners = 1;

// Pre: the lock is held. 0 when there is none.
Owner free_place() noexcept {
  if (g_num_owners < kMaxOwners) return static_cast<Owner>(g_num_owners++);
  for (int i = 1; i < kMaxOwners; ++i) {
    if (g_retired[i] && tallies::holding(static_cast<Owner>(i)).count == 0)
      return static_cast<Owner>(i);
  }
  return 0;
}

}  // namespace

Owner add_owner(std::string_view name, OwnerKind kind) noexcept {
  const std::lock_guard lock(g_lock);
  const Owner place = free_place();
  if (place == 0) return 0;
  g_retired[place] = false;
  g_kinds[place] = kind;
  const size_t length = std::min(name.size(), kNameBytes - 1);
  std::memcpy(g_names[place], name.data(), length);
  g_names[place][length] = '\0';
  g_serials[place].fetch_add(1, std::memory_order_release);
  return place;
}

void remove_owner(Owner owner) noexcept {
  if (owner == 0) return;
  const std::lock_guard lock(g_lock);
  g_retired[owner] = true;
}

std::string owner_name(Owner owner) {
  const std::lock_guard lock(g_lock);
  return g_names[owner];
}

OwnerInfo owner_info(Owner owner) noexcept {
  const uint32_t serial = g_serials[owner].load(std::memory_order_acquire);
  return {g_names[owner], g_kinds[owner], serial};
}

Held held_by(Owner owner) noexcept {
  const tallies::Tally held = tallies::holding(owner);
  return {held.bytes, held.count};
}

std::vector<Holding> top_owners(size_t most) {
  std::vector<Holding> all;
  const std::lock_guard lock(g_lock);
  for (int i = 0; i < g_num_owners; ++i) {
    const tallies::Tally held = tallies::holding(static_cast<Owner>(i));
    if (held.bytes > 0) all.push_back({g_names[i], g_kinds[i], held.bytes, held.count});
  }
  std::sort(all.begin(), all.end(),
            [](const Holding& a, const Holding& b) { return a.bytes > b.bytes; });
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace penstock::ledger
