// Index: maps a key's hash to its index in a recording's table. The caller compares the keys, and
// may store a pointer with each. Its memory is whole pages from the system, never malloc's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/system.h"

namespace penstock::recording {

class Index {
 public:
  // The index of the key for which `is_it(place, pointer)`; -1 if there is none.
  template <typename IsIt>
  int32_t find(uint64_t hash, IsIt is_it) const noexcept {
    for (size_t i = hash; capacity_ != 0; ++i) {
      const Entry& entry = entries_[i & (capacity_ - 1)];
      if (entry.place_and_one == 0) break;
      if (entry.hash == static_cast<uint32_t>(hash) &&
          is_it(entry.place_and_one - 1, entry.pointer))
        return entry.place_and_one - 1;
    }
    return -1;
  }

  // False if there is no memory for it: the key then gets another index next time.
  bool add(uint64_t hash, int32_t place, const char* pointer = nullptr) noexcept {
    if (2 * (count_ + 1) > capacity_ && !grow()) return false;
    put({static_cast<uint32_t>(hash), place + 1, pointer});
    ++count_;
    return true;
  }

  // The pointer stored with an index, by linear search; null if there is none.
  const char* pointer_of(int32_t place) const noexcept {
    for (size_t i = 0; i < capacity_; ++i) {
      if (entries_[i].place_and_one == place + 1) return entries_[i].pointer;
    }
    return nullptr;
  }

  void clear() noexcept {
    if (capacity_ != 0) memory::unmap_pages(entries_, bytes());
    *this = {};
  }
  size_t bytes() const noexcept { return capacity_ * sizeof(Entry); }

 private:
  struct Entry {
    uint32_t hash;
    int32_t place_and_one;  // 0: empty, as fresh pages are
    const char* pointer;
  };

  void put(Entry entry) noexcept {
    size_t i = entry.hash;
    while (entries_[i & (capacity_ - 1)].place_and_one != 0) ++i;
    entries_[i & (capacity_ - 1)] = entry;
  }
  bool grow() noexcept {
    Index larger;
    larger.capacity_ = capacity_ == 0 ? memory::page_bytes() / sizeof(Entry) : 2 * capacity_;
    larger.entries_ = static_cast<Entry*>(memory::map_pages(larger.bytes()));
    if (larger.entries_ == nullptr) return false;
    for (size_t i = 0; i < capacity_; ++i) {
      if (entries_[i].place_and_one != 0) larger.put(entries_[i]);
    }
    larger.count_ = count_;
    if (capacity_ != 0) memory::unmap_pages(entries_, bytes());
    *this = larger;
    return true;
  }

  Entry* entries_ = nullptr;
  size_t capacity_ = 0;  // a power of two
  size_t count_ = 0;
};

// Mixes two words into a hash whose low bits are good.
constexpr uint64_t mixed(uint64_t a, uint64_t b) noexcept {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

}  // namespace penstock::recording
