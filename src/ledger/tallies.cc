#include "ledger/tallies.h"

#include <pthread.h>

#include <array>
#include <atomic>

namespace penstock::ledger::tallies {
namespace {

constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
constexpr int kNumPages = 64;  // threads without their own page share page 0

// Totals wrap around, like atomic addition, instead of overflowing.
int64_t wrapping_sum(int64_t a, int64_t b) noexcept {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

struct Cell {
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> count{0};

  // A single writer needs no locked instruction.
  void add_alone(int64_t more_bytes, int64_t more_count) noexcept {
    bytes.store(wrapping_sum(bytes.load(kRelaxed), more_bytes), kRelaxed);
    count.store(wrapping_sum(count.load(kRelaxed), more_count), kRelaxed);
  }
  void add_shared(int64_t more_bytes, int64_t more_count) noexcept {
    bytes.fetch_add(more_bytes, kRelaxed);
    count.fetch_add(more_count, kRelaxed);
  }
};

struct alignas(64) Page {
  std::array<std::array<Cell, kNumTags>, kMaxDevices> allocations;
  std::array<Cell, kMaxOwners> holdings;
};

// Zero at load; untouched pages cost nothing.
constinit std::array<Page, kNumPages> g_pages;
constinit std::array<std::atomic<bool>, kNumPages> g_taken;
pthread_key_t g_exit_key;

// The thread's page; -1 before its first use. A page outlives its thread and is reused by another.
thread_local int t_page = -1;

void at_thread_exit(void* page) {
  t_page = 0;
  g_taken[static_cast<size_t>(reinterpret_cast<intptr_t>(page))].store(false,
                                                                       std::memory_order_release);
}

[[gnu::noinline]] int take_page() noexcept {
  static const bool has_key = pthread_key_create(&g_exit_key, at_thread_exit) == 0;
  for (int i = 1; i < kNumPages && has_key; ++i) {
    std::atomic<bool>& in_use = g_taken[static_cast<size_t>(i)];
    if (in_use.load(kRelaxed) || in_use.exchange(true, std::memory_order_acquire)) continue;
    if (pthread_setspecific(g_exit_key, reinterpret_cast<void*>(static_cast<intptr_t>(i))) == 0) {
      return t_page = i;
    }
    in_use.store(false, std::memory_order_release);
    break;
  }
  return t_page = 0;
}

int page() noexcept { return __builtin_expect(t_page >= 0, 1) ? t_page : take_page(); }

template <typename Select>
Tally sum(Select select) noexcept {
  Tally tally;
  for (Page& p : g_pages) {
    const Cell& cell = select(p);
    tally.bytes = wrapping_sum(tally.bytes, cell.bytes.load(kRelaxed));
    tally.count = wrapping_sum(tally.count, cell.count.load(kRelaxed));
  }
  return tally;
}

void add(Cell& cell, int at, int64_t bytes, int64_t count) noexcept {
  if (__builtin_expect(at != 0, 1)) {
    cell.add_alone(bytes, count);
  } else {
    cell.add_shared(bytes, count);
  }
}

Cell& allocation_cell(Page& p, int device, Tag tag) {
  return p.allocations[static_cast<size_t>(device)][static_cast<size_t>(tag)];
}

}  // namespace

void add_allocation(int device, Tag tag, int64_t bytes) noexcept {
  const int at = page();
  add(allocation_cell(g_pages[static_cast<size_t>(at)], device, tag), at, bytes, 1);
}

void add_holding(Owner owner, int64_t bytes, int64_t count) noexcept {
  const int at = page();
  add(g_pages[static_cast<size_t>(at)].holdings[owner], at, bytes, count);
}

Tally allocations(int device, Tag tag) noexcept {
  return sum([&](Page& p) -> Cell& { return allocation_cell(p, device, tag); });
}

Tally holding(Owner owner) noexcept {
  return sum([&](Page& p) -> Cell& { return p.holdings[owner]; });
}

}  // namespace penstock::ledger::tallies
