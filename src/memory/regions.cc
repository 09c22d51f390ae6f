#include "memory/regions.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>

#include "memory/page.h"

namespace penstock::memory::regions {
namespace {

struct Region {
  uintptr_t start;  // 0: an empty place
  size_t bytes;
};

// A hash table by address with linear probing. Its pages come from the system, because it is below
// everything that allocates. If they are refused, a region is not counted.
class Table {
 public:
  void add(uintptr_t start, size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    if (2 * (count_ + 1) > capacity_ && !grow()) return;
    places_[place_of(start)] = {start, bytes};
    ++count_;
  }
  void shrink(uintptr_t start, size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    if (Region* region = find(start)) region->bytes = bytes;
  }
  void remove(uintptr_t start) noexcept {
    const std::lock_guard lock(mutex_);
    Region* region = find(start);
    if (region == nullptr) return;
    *region = {};
    --count_;
    // Moves up the entries that were displaced by it.
    for (size_t i = next(static_cast<size_t>(region - places_)); places_[i].start != 0;
         i = next(i)) {
      const Region moved = places_[i];
      places_[i] = {};
      places_[place_of(moved.start)] = moved;
    }
  }

  int64_t resident_bytes() noexcept {
    const std::lock_guard lock(mutex_);
    int64_t bytes = 0;
    for (size_t i = 0; i < capacity_; ++i) {
      if (places_[i].start == 0) continue;
      bytes += regions::resident_bytes(reinterpret_cast<void*>(places_[i].start), places_[i].bytes);
    }
    return bytes;
  }

  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  size_t next(size_t i) const noexcept { return (i + 1) & (capacity_ - 1); }
  // The index of `start`, or where it would be inserted.
  size_t place_of(uintptr_t start) const noexcept {
    size_t i = start / kLeastPageBytes * 0x9E3779B97F4A7C15u >> 20 & (capacity_ - 1);
    while (places_[i].start != 0 && places_[i].start != start) i = next(i);
    return i;
  }
  Region* find(uintptr_t start) noexcept {
    if (capacity_ == 0) return nullptr;
    Region& region = places_[place_of(start)];
    return region.start == start ? &region : nullptr;
  }
  bool grow() noexcept {
    const size_t capacity = capacity_ == 0 ? page_bytes() / sizeof(Region) : 2 * capacity_;
    void* pages = mmap(nullptr, capacity * sizeof(Region), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return false;
    Region* const old = places_;
    const size_t old_capacity = capacity_;
    places_ = static_cast<Region*>(pages);
    capacity_ = capacity;
    for (size_t i = 0; i < old_capacity; ++i) {
      if (old[i].start != 0) places_[place_of(old[i].start)] = old[i];
    }
    if (old_capacity != 0) munmap(old, old_capacity * sizeof(Region));
    return true;
  }

  std::mutex mutex_;
  Region* places_ = nullptr;
  size_t capacity_ = 0;  // a power of two
  size_t count_ = 0;
};

constinit Table g_table;

uintptr_t address(void* pages) noexcept { return reinterpret_cast<uintptr_t>(pages); }

}  // namespace

void add(void* pages, size_t bytes) noexcept { g_table.add(address(pages), bytes); }
void shrink(void* pages, size_t bytes) noexcept { g_table.shrink(address(pages), bytes); }
void remove(void* pages) noexcept { g_table.remove(address(pages)); }
void lock() noexcept { g_table.lock(); }
void unlock() noexcept { g_table.unlock(); }
int64_t resident_bytes() noexcept { return g_table.resident_bytes(); }

int64_t resident_bytes(void* pages, size_t bytes) noexcept {
  unsigned char in_memory[4096];
  const size_t page_size = page_bytes();
  const size_t at_once = sizeof in_memory * page_size;
  int64_t count = 0;
  for (size_t done = 0; done < bytes; done += at_once) {
    const size_t part = std::min(bytes - done, at_once);
    if (mincore(static_cast<char*>(pages) + done, part, in_memory) != 0) continue;
    count += std::count_if(in_memory, in_memory + part / page_size,
                           [](unsigned char page) { return (page & 1) != 0; });
  }
  return count * static_cast<int64_t>(page_size);
}

}  // namespace penstock::memory::regions
