// Small blocks. A chunk is kChunkBytes of one size class, aligned to its size, so that a block's
// address determines its chunk. A thread takes and returns blocks in batches: its own lists need no
// lock.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "memory/blocks.h"
#include "memory/idle.h"
#include "memory/size_classes.h"
#include "memory/system.h"

namespace penstock::memory {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
constexpr size_t kChunkHeaderBytes = 64;

struct FreeBlock {
  FreeBlock* next;
};

struct Chunk {
  Chunk* next;  // in its class's list of chunks with free blocks
  Chunk* previous;
  FreeBlock* free;
  uint32_t num_free;
  uint32_t num_blocks;
  uint32_t uncut;  // blocks at the end that were never handed out
  uint32_t size_class;
  int64_t idle_since;  // coarse_now(), while none of its blocks is in use
};
static_assert(sizeof(Chunk) <= kChunkHeaderBytes);

Chunk* chunk_of(void* block) {
  return reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) & ~(kChunkBytes - 1));
}

// The number of blocks of a class that a thread may keep.
constexpr uint32_t thread_limit(size_t size_class) {
  return static_cast<uint32_t>(
      std::clamp<size_t>((64 << 10) / size_class_bytes(size_class), 4, 64));
}

// The chunks of all classes. One lock suffices: threads come here once per batch.
class Central {
 public:
  // Up to `count` blocks, linked; *num_blocks says how many.
  FreeBlock* take(size_t size_class, uint32_t count, uint32_t* num_blocks) noexcept {
    const std::lock_guard lock(mutex_);
    FreeBlock* list = nullptr;
    for (*num_blocks = 0; *num_blocks < count; ++*num_blocks) {
      Chunk* chunk = lists_[size_class];
      if (chunk == nullptr) chunk = new_chunk(size_class);
      if (chunk == nullptr) break;
      FreeBlock* block = chunk->free;
      if (block != nullptr) {
        chunk->free = block->next;
      } else {
        const size_t index = chunk->num_blocks - chunk->uncut--;
        block = reinterpret_cast<FreeBlock*>(reinterpret_cast<char*>(chunk) + kChunkHeaderBytes +
                                             index * size_class_bytes(size_class));
      }
      if (--chunk->num_free == 0) unlink(chunk);
      block->next = list;
      list = block;
    }
    free_bytes_ -= static_cast<int64_t>(*num_blocks * size_class_bytes(size_class));
    return list;
  }

  // Returns whether a chunk without used blocks is kept.
  bool put(FreeBlock* list) noexcept {
    const std::lock_guard lock(mutex_);
    bool keeps_idle = false;
    while (list != nullptr) {
      FreeBlock* next = list->next;
      Chunk* chunk = chunk_of(list);
      list->next = chunk->free;
      chunk->free = list;
      free_bytes_ += static_cast<int64_t>(size_class_bytes(chunk->size_class));
      if (++chunk->num_free == 1) link(chunk);
      if (chunk->num_free == chunk->num_blocks) keeps_idle |= !retire(chunk);
      list = next;
    }
    return keeps_idle;
  }

  int64_t free_bytes() noexcept {
    const std::lock_guard lock(mutex_);
    return free_bytes_;
  }

 private:
  static int64_t chunk_capacity(const Chunk* chunk) {
    return static_cast<int64_t>(chunk->num_blocks * size_class_bytes(chunk->size_class));
  }

  void link(Chunk* chunk) noexcept {
    Chunk*& head = lists_[chunk->size_class];
    chunk->next = head;
    chunk->previous = nullptr;
    if (head != nullptr) head->previous = chunk;
    head = chunk;
  }
  void unlink(Chunk* chunk) noexcept {
    (chunk->previous != nullptr ? chunk->previous->next : lists_[chunk->size_class]) = chunk->next;
    if (chunk->next != nullptr) chunk->next->previous = chunk->previous;
  }

  Chunk* new_chunk(size_t size_class) noexcept {
    Chunk* chunk = static_cast<Chunk*>(map_pages(kChunkBytes, kChunkBytes));
    if (chunk == nullptr) return nullptr;
    chunk->size_class = static_cast<uint32_t>(size_class);
    chunk->num_blocks =
        static_cast<uint32_t>((kChunkBytes - kChunkHeaderBytes) / size_class_bytes(size_class));
    chunk->num_free = chunk->uncut = chunk->num_blocks;
    free_bytes_ += chunk_capacity(chunk);
    link(chunk);
    return chunk;
  }

  // Returns a chunk without live blocks to the system, except the last of its class: a loop that
  // allocates and frees one block must not map pages each time. False if it stays.
  bool retire(Chunk* chunk) noexcept {
    if (chunk->previous == nullptr && chunk->next == nullptr) {
      chunk->idle_since = coarse_now();
      return false;
    }
    release(chunk);
    return true;
  }
  void release(Chunk* chunk) noexcept {
    unlink(chunk);
    free_bytes_ -= chunk_capacity(chunk);
    unmap_pages(chunk, kChunkBytes);
  }

 public:
  // Returns the chunks without live blocks that are idle since before `time`; says whether others
  // are left.
  bool release_idle(int64_t time) noexcept {
    const std::lock_guard lock(mutex_);
    bool is_left = false;
    for (Chunk* chunk : lists_) {
      while (chunk != nullptr) {
        Chunk* next = chunk->next;
        if (chunk->num_free == chunk->num_blocks) {
          if (chunk->idle_since < time) {
            release(chunk);
          } else {
            is_left = true;
          }
        }
        chunk = next;
      }
    }
    return is_left;
  }
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  std::mutex mutex_;
  Chunk* lists_[kNumSizeClasses] = {};
  int64_t free_bytes_ = 0;
};

constinit Central g_central;
std::atomic<uint32_t> g_trim_epoch{0};

struct ThreadCache {
  FreeBlock* free[kNumSizeClasses];
  uint32_t count[kNumSizeClasses];
  uint32_t epoch;
};
static_assert(sizeof(ThreadCache) <= kLeastPageBytes);

// Null before the thread's first block; kNoCache after its end, or without memory for a cache.
thread_local ThreadCache* t_cache = nullptr;
ThreadCache* const kNoCache = reinterpret_cast<ThreadCache*>(1);
pthread_key_t g_exit_key;

void give_back(FreeBlock* list) noexcept {
  if (g_central.put(list)) watch_idle();
}

void flush(ThreadCache& cache) noexcept {
  for (size_t i = 0; i < kNumSizeClasses; ++i) {
    give_back(cache.free[i]);
    cache.free[i] = nullptr;
    cache.count[i] = 0;
  }
}

void at_thread_exit(void* cache) {
  flush(*static_cast<ThreadCache*>(cache));
  unmap_pages(cache, page_bytes());
  t_cache = kNoCache;
}

[[gnu::noinline]] void start_cache() noexcept {
  static const bool has_key = pthread_key_create(&g_exit_key, at_thread_exit) == 0;
  void* page = has_key ? map_pages(page_bytes()) : nullptr;
  if (page != nullptr && pthread_setspecific(g_exit_key, page) != 0) {
    unmap_pages(page, page_bytes());
    page = nullptr;
  }
  t_cache = page == nullptr ? kNoCache : static_cast<ThreadCache*>(page);  // a fresh page is zero
  if (page != nullptr) t_cache->epoch = g_trim_epoch.load(std::memory_order_relaxed);
}

// The thread's cache, or null when it has none.
ThreadCache* cache() noexcept {
  if (__builtin_expect(t_cache == nullptr, 0)) start_cache();
  return t_cache == kNoCache ? nullptr : t_cache;
}

[[gnu::noinline]] void* refill(ThreadCache* cache, size_t size_class) noexcept {
  uint32_t num_blocks = 0;
  const uint32_t wanted = cache == nullptr ? 1 : std::max(1u, thread_limit(size_class) / 2);
  FreeBlock* list = g_central.take(size_class, wanted, &num_blocks);
  if (list == nullptr || cache == nullptr) return list;
  cache->free[size_class] = list->next;
  cache->count[size_class] = num_blocks - 1;
  return list;
}

[[gnu::noinline]] void spill(ThreadCache& cache, size_t size_class) noexcept {
  if (cache.epoch != g_trim_epoch.load(std::memory_order_relaxed)) {
    cache.epoch = g_trim_epoch.load(std::memory_order_relaxed);
    return flush(cache);
  }
  FreeBlock* list = cache.free[size_class];
  FreeBlock* last = list;
  const uint32_t count = cache.count[size_class] / 2;
  for (uint32_t i = 1; i < count; ++i) last = last->next;
  cache.free[size_class] = last->next;
  cache.count[size_class] -= count;
  last->next = nullptr;
  give_back(list);
}

}  // namespace

Block allocate_small(size_t bytes) noexcept {
  const size_t size_class = size_class_of(bytes);
  ThreadCache* mine = cache();
  FreeBlock* block = mine == nullptr ? nullptr : mine->free[size_class];
  if (__builtin_expect(block == nullptr, 0)) {
    return {refill(mine, size_class), size_class_bytes(size_class)};
  }
  mine->free[size_class] = block->next;
  --mine->count[size_class];
  return {block, size_class_bytes(size_class)};
}

void free_small(Block block) noexcept {
  FreeBlock* freed = static_cast<FreeBlock*>(block.data);
  ThreadCache* mine = cache();
  if (__builtin_expect(mine == nullptr, 0)) {
    freed->next = nullptr;
    return give_back(freed);
  }
  const size_t size_class = size_class_of(block.bytes);
  freed->next = mine->free[size_class];
  mine->free[size_class] = freed;
  if (++mine->count[size_class] > thread_limit(size_class) ||
      mine->epoch != g_trim_epoch.load(std::memory_order_relaxed)) {
    spill(*mine, size_class);
  }
}

void trim_small() noexcept {
  const uint32_t epoch = g_trim_epoch.fetch_add(1, std::memory_order_relaxed) + 1;
  if (ThreadCache* mine = cache()) {
    mine->epoch = epoch;
    flush(*mine);
  }
  g_central.release_idle(INT64_MAX);
}

int64_t cached_small_bytes() noexcept { return g_central.free_bytes(); }
bool release_idle_small(int64_t time) noexcept { return g_central.release_idle(time); }
void lock_small() noexcept { g_central.lock(); }
void unlock_small() noexcept { g_central.unlock(); }

}  // namespace penstock::memory
