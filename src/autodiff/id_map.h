// IdMap<V>: maps tensor ids to small values. Open addressing, no removal, memory in the ledger.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/memory/counted.h>

namespace penstock::autodiff {

template <typename V>
class IdMap {
 public:
  V* find(uint64_t id) {
    if (slots_.empty()) return nullptr;
    Slot& slot = slots_[place(id)];
    return slot.id == id ? &slot.value : nullptr;
  }
  bool has(uint64_t id) { return find(id) != nullptr; }
  // Adds or replaces. Pre: id is not 0.
  void set(uint64_t id, const V& value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = slots_[place(id)];
    if (slot.id == 0) ++size_;
    slot = {id, value};
  }
  void clear() {
    slots_ = {};
    size_ = 0;
  }

 private:
  struct Slot {
    uint64_t id = 0;
    V value = {};
  };
  using Slots = std::vector<Slot, Counted<Slot>>;

  size_t place(uint64_t id) const {
    const size_t mask = slots_.size() - 1;
    size_t i = static_cast<size_t>(id * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (slots_[i].id != 0 && slots_[i].id != id) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    Slots old(slots_.empty() ? 32 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != 0) slots_[place(slot.id)] = slot;
    }
  }

  Slots slots_;
  size_t size_ = 0;
};

}  // namespace penstock::autodiff
