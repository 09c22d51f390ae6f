#include <penstock/memory/mapped_file.h>

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "memory/system.h"

namespace penstock::memory {
namespace {

// The mappings, readable from the signal handler, which may neither lock nor allocate. Without a
// lock, a child process can unmap whatever its parent was doing.
struct Mapping {
  std::atomic<uintptr_t> start{0};  // 0: a free slot
  std::atomic<size_t> bytes{0};
};
constexpr uintptr_t kTaken = 1;  // by a mapping in progress
constexpr size_t kMaxMappings = 1 << 16;
constinit std::array<Mapping, kMaxMappings> g_mappings;
constinit std::atomic<size_t> g_num_used{0};  // no slot beyond these was ever used
constinit std::atomic<size_t> g_next{0};      // where to look for a free one
struct sigaction g_before{};

// Maps zeros over a mapping from the page of `address` on; false if no mapping contains it.
bool cover(uintptr_t address) noexcept {
  for (size_t i = 0; i < g_num_used.load(std::memory_order_acquire); ++i) {
    const uintptr_t start = g_mappings[i].start.load(std::memory_order_acquire);
    const uintptr_t end = start + g_mappings[i].bytes.load(std::memory_order_relaxed);
    if (start <= kTaken || address < start || address >= end) continue;
    const uintptr_t page = page_of(address);
    return mmap(reinterpret_cast<void*>(page), end - page, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

void say_once() noexcept {
  static constinit std::atomic<bool> was_said{false};
  if (was_said.exchange(true)) return;
  static constexpr char kText[] =
      "penstock: a file became shorter while it was mapped; what is missing reads as zeros\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int number = errno;
  if (info->si_code == BUS_ADRERR && cover(reinterpret_cast<uintptr_t>(info->si_addr))) {
    say_once();
  } else if ((g_before.sa_flags & SA_SIGINFO) != 0) {
    g_before.sa_sigaction(signal, info, context);
  } else if (g_before.sa_handler == SIG_DFL || g_before.sa_handler == SIG_IGN) {
    sigaction(SIGBUS, &g_before, nullptr);  // the fault recurs, and ends the process
    if (info->si_code <= 0) raise(SIGBUS);  // sent by kill(): does not recur
  } else {
    g_before.sa_handler(signal);
  }
  errno = number;
}

bool install() noexcept {
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, &g_before) == 0;
}

// Reserves a slot for a mapping; null if there is none.
Mapping* take_place() noexcept {
  const size_t first = g_next.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kMaxMappings; ++i) {
    const size_t at = (first + i) % kMaxMappings;
    uintptr_t free = 0;
    if (!g_mappings[at].start.compare_exchange_strong(free, kTaken)) continue;
    g_next.store(at + 1, std::memory_order_relaxed);
    size_t used = g_num_used.load();
    while (used <= at && !g_num_used.compare_exchange_weak(used, at + 1)) {
    }
    return &g_mappings[at];
  }
  return nullptr;
}

}  // namespace

void* map_file(int descriptor, int64_t offset, size_t bytes, bool writable) noexcept {
  static const bool is_installed = install();
  Mapping* const place = is_installed ? take_place() : nullptr;
  if (place == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  // The system maps from the start of a page.
  const size_t before = static_cast<size_t>(offset) % page_bytes();
  bytes += before;
  void* const pages = mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                           MAP_SHARED, descriptor, offset - static_cast<int64_t>(before));
  if (pages == MAP_FAILED) {
    place->start.store(0);
    return nullptr;
  }
  place->bytes.store(bytes, std::memory_order_relaxed);
  place->start.store(reinterpret_cast<uintptr_t>(pages), std::memory_order_release);
  return static_cast<char*>(pages) + before;
}

void unmap_file(void* data, size_t bytes) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t start = page_of(address);
  for (size_t i = 0; i < g_num_used.load(std::memory_order_relaxed); ++i) {
    if (g_mappings[i].start.load(std::memory_order_relaxed) != start) continue;
    g_mappings[i].start.store(0);
    g_next.store(i, std::memory_order_relaxed);
    break;
  }
  munmap(reinterpret_cast<void*>(start), address - start + bytes);
}

}  // namespace penstock::memory
