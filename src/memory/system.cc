#include "memory/system.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "memory/regions.h"

namespace penstock::memory {
namespace {

std::atomic<int64_t> g_mapped{0};

int64_t read_number(const char* path) noexcept {
  long long value = 0;
  if (std::FILE* file = std::fopen(path, "r")) {
    if (std::fscanf(file, "%lld", &value) != 1) value = 0;
    std::fclose(file);
  }
  return value;
}

void* map(size_t bytes) noexcept {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// Large blocks request huge pages where they fill them: a fault then maps 2 MiB instead of a page,
// and kernels miss the TLB less. A partial huge page at the end stays small pages, so that no block
// takes more memory than its bytes.
constexpr size_t kHugePageBytes = 2 << 20;
constexpr size_t kLeastHugeBlock = 2 * kHugePageBytes;

}  // namespace

void* map_pages(size_t bytes, size_t alignment) noexcept {
  if (bytes >= kLeastHugeBlock) alignment = std::max(alignment, kHugePageBytes);
  const size_t extra = alignment > page_bytes() ? alignment : 0;
  char* pages = static_cast<char*>(map(bytes + extra));
  if (pages == nullptr) return nullptr;
  if (extra != 0) {  // keep the aligned middle
    const size_t head = (alignment - reinterpret_cast<uintptr_t>(pages) % alignment) % alignment;
    if (head != 0) munmap(pages, head);
    if (extra != head) munmap(pages + head + bytes, extra - head);
    pages += head;
  }
  if (bytes >= kLeastHugeBlock)
    madvise(pages, bytes & ~(kHugePageBytes - 1), MADV_HUGEPAGE);  // if refused, small pages do
  g_mapped.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  regions::add(pages, bytes);
  return pages;
}

void unmap_pages(void* pages, size_t bytes) noexcept {
  regions::remove(pages);  // before the addresses are reused
  munmap(pages, bytes);
  g_mapped.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

void unmap_tail(void* pages, size_t bytes, size_t kept) noexcept {
  regions::shrink(pages, kept);
  munmap(static_cast<char*>(pages) + kept, bytes - kept);
  g_mapped.fetch_sub(static_cast<int64_t>(bytes - kept), std::memory_order_relaxed);
}

int64_t mapped_bytes() noexcept { return g_mapped.load(std::memory_order_relaxed); }

int64_t physical_bytes() noexcept {
  int64_t bytes = sysconf(_SC_PHYS_PAGES) * static_cast<int64_t>(page_bytes());
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const int64_t limit = read_number(path);
    if (limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace penstock::memory
