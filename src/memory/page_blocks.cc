// Medium and large blocks: whole pages. Free medium blocks are cached, newest first, within the
// cache's limit and while they are not idle (idle.h); the oldest leaves first.
#include <algorithm>
#include <bit>
#include <mutex>

#include "memory/blocks.h"
#include "memory/idle.h"
#include "memory/system.h"

namespace penstock::memory {
namespace {

// Rounds to eight steps per doubling, so that blocks of similar size are interchangeable. The
// untouched tail of a block costs addresses, not memory.
size_t round_to_step(size_t bytes) {
  const size_t step = std::max(std::bit_floor(bytes) / 8, page_bytes());
  return (bytes + step - 1) & ~(step - 1);
}

struct FreePages {
  FreePages* newer;
  FreePages* older;
  size_t bytes;
  int64_t since;  // coarse_now()
};

class PageCache {
 public:
  Block take(size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    for (FreePages* pages = newest_; pages != nullptr; pages = pages->older) {
      if (pages->bytes != bytes) continue;
      unlink(pages);
      return {pages, bytes};
    }
    return {};
  }

  void put(Block block) noexcept {
    const std::lock_guard lock(mutex_);
    FreePages* pages = static_cast<FreePages*>(block.data);
    *pages = {.newer = nullptr, .older = newest_, .bytes = block.bytes, .since = coarse_now()};
    (newest_ != nullptr ? newest_->newer : oldest_) = pages;
    newest_ = pages;
    cached_ += static_cast<int64_t>(block.bytes);
    shrink_to(limit_);
  }

  void set_limit(int64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    shrink_to(limit_);
  }
  void trim() noexcept {
    const std::lock_guard lock(mutex_);
    shrink_to(0);
  }
  int64_t cached() noexcept {
    const std::lock_guard lock(mutex_);
    return cached_;
  }
  // One at a time: returning pages takes too long to hold the lock.
  bool release_idle(int64_t time) noexcept {
    for (;;) {
      FreePages* pages = nullptr;
      {
        const std::lock_guard lock(mutex_);
        if (oldest_ == nullptr) return false;
        if (oldest_->since >= time) return true;
        pages = oldest_;
        unlink(pages);
      }
      unmap_pages(pages, pages->bytes);
    }
  }
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  void unlink(FreePages* pages) noexcept {
    (pages->newer != nullptr ? pages->newer->older : newest_) = pages->older;
    (pages->older != nullptr ? pages->older->newer : oldest_) = pages->newer;
    cached_ -= static_cast<int64_t>(pages->bytes);
  }
  void shrink_to(int64_t bytes) noexcept {
    while (cached_ > bytes) {
      FreePages* pages = oldest_;
      unlink(pages);
      unmap_pages(pages, pages->bytes);
    }
  }

  std::mutex mutex_;
  FreePages* newest_ = nullptr;
  FreePages* oldest_ = nullptr;
  int64_t cached_ = 0;
  int64_t limit_ = 128 << 20;
};

constinit PageCache g_cache;

}  // namespace

Block allocate_pages(size_t bytes) noexcept {
  if (bytes > kMaxCachedBytes) {
    const size_t rounded = round_to_pages(bytes);
    return {map_pages(rounded), rounded};
  }
  const size_t rounded = round_to_step(bytes);
  const Block block = g_cache.take(rounded);
  return block.data != nullptr ? block : Block{map_pages(rounded), rounded};
}

void free_pages(Block block) noexcept {
  if (block.bytes > kMaxCachedBytes) {
    unmap_pages(block.data, block.bytes);
  } else {
    g_cache.put(block);
    watch_idle();
  }
}

void trim_pages() noexcept { g_cache.trim(); }
void set_page_cache_limit(int64_t bytes) noexcept { g_cache.set_limit(bytes); }
int64_t cached_page_bytes() noexcept { return g_cache.cached(); }
bool release_idle_pages(int64_t time) noexcept { return g_cache.release_idle(time); }
void lock_pages() noexcept { g_cache.lock(); }
void unlock_pages() noexcept { g_cache.unlock(); }

}  // namespace penstock::memory
