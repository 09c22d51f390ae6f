// The allocator behind buffers. Under the address sanitizer it is the sanitizer's own.
#include "memory/blocks.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>

#include <penstock/memory/memory.h>

#include "memory/size_classes.h"
#include "support/testing.h"

namespace penstock::memory {
namespace {

using testing_support::on_threads;

TEST(SizeClasses, HoldWhatTheyShouldAndWasteLittle) {
  for (size_t bytes = 1; bytes <= kMaxSmallBytes; ++bytes) {
    const size_t size_class = size_class_of(bytes);
    ASSERT_LT(size_class, kNumSizeClasses);
    ASSERT_GE(size_class_bytes(size_class), bytes);
    ASSERT_EQ(size_class_bytes(size_class) % 64, 0u);
    if (size_class > 0) {
      ASSERT_LT(size_class_bytes(size_class - 1), bytes);
    }
    if (bytes > 1024) {
      ASSERT_LT(size_class_bytes(size_class), bytes + bytes / 4 + 64);
    }
  }
}

TEST(Blocks, AreAlignedApartAndWritable) {
  std::vector<Block> blocks;
  std::set<void*> places;
  for (size_t bytes : {size_t{1}, size_t{64}, size_t{65}, size_t{4096}, kMaxSmallBytes,
                       kMaxSmallBytes + 1, size_t{1} << 20, kMaxCachedBytes + 1}) {
    for (int i = 0; i < 3; ++i) {
      const Block block = allocate_block(bytes);
      ASSERT_NE(block.data, nullptr);
      ASSERT_GE(block.bytes, bytes);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block.data) % 64, 0u);
      ASSERT_TRUE(places.insert(block.data).second);
      std::memset(block.data, static_cast<int>(blocks.size()), bytes);
      blocks.push_back(block);
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(*static_cast<unsigned char*>(blocks[i].data), static_cast<unsigned char>(i));
    free_block(blocks[i]);
  }
}

TEST(Blocks, MayBeFreedOnAnotherThread) {
  for (int round = 0; round < 5; ++round) {
    std::vector<std::vector<Block>> made(4);
    on_threads(4, [&](int thread) {
      for (size_t i = 0; i < 2000; ++i)
        made[static_cast<size_t>(thread)].push_back(allocate_block(64 + i % 3000));
    });
    on_threads(4, [&](int thread) {
      for (const Block& block : made[static_cast<size_t>((thread + 1) % 4)]) free_block(block);
    });
  }
}

TEST(Blocks, RandomSizesOnManyThreadsStayIntact) {
  on_threads(4, [](int thread) {
    std::minstd_rand random(static_cast<unsigned>(thread + 1));
    struct Marked {
      Block block;
      unsigned char mark;
    };
    std::vector<Marked> live;
    const auto drop = [&](size_t i) {
      const auto* data = static_cast<unsigned char*>(live[i].block.data);
      ASSERT_EQ(data[0], live[i].mark);
      free_block(live[i].block);
      live[i] = live.back();
      live.pop_back();
    };
    for (int i = 0; i < 5000; ++i) {
      const size_t bytes = 1 + random() % (random() % 8 == 0 ? 100000 : 2000);
      const auto mark = static_cast<unsigned char>(random());
      const Block block = allocate_block(bytes);
      std::memset(block.data, mark, bytes);
      live.push_back({block, mark});
      if (live.size() > 50) drop(random() % live.size());
    }
    while (!live.empty()) drop(0);
  });
}

#if !defined(PENSTOCK_SANITIZE_ADDRESS)

TEST(Blocks, AThreadThatEndsLeavesNothingCached) {
  trim();
  const int64_t before = stats().mapped;
  on_threads(8, [](int) {
    std::vector<Block> blocks;
    for (size_t i = 0; i < 3000; ++i) blocks.push_back(allocate_block(64 + i % 2000));
    for (const Block& block : blocks) free_block(block);
  });
  trim();
  EXPECT_LE(stats().mapped, before);
}

TEST(Blocks, WhatIsIdleGoesBackByItself) {
  trim();
  const int64_t before = stats().mapped;
  on_threads(1, [](int) {  // its cache ends with it
    std::vector<Block> blocks;
    for (size_t bytes : {size_t{100}, size_t{5000}, size_t{100000}, size_t{1} << 20}) {
      for (int i = 0; i < 20; ++i) blocks.push_back(allocate_block(bytes));
    }
    for (const Block& block : blocks) free_block(block);
  });
  EXPECT_GT(cached_page_bytes(), 0);
  while (stats().mapped > before) usleep(10'000);  // the test's time limit is the only one
  EXPECT_EQ(cached_page_bytes(), 0);
}

TEST(Blocks, TheCacheKeepsItsLimit) {
  set_cache_limit(8 << 20);
  std::vector<Block> blocks;
  for (int i = 0; i < 32; ++i) blocks.push_back(allocate_block(1 << 20));
  for (const Block& block : blocks) free_block(block);
  EXPECT_LE(cached_page_bytes(), 8 << 20);
  EXPECT_GT(cached_page_bytes(), 4 << 20);
  set_cache_limit(0);
  EXPECT_EQ(cached_page_bytes(), 0);
  set_cache_limit(128 << 20);
  EXPECT_ERROR(InvalidArgumentError, "negative", set_cache_limit(-1));
}

TEST(Blocks, AFreedMediumBlockIsUsedAgain) {
  const Block first = allocate_block(1 << 20);
  free_block(first);
  const Block second = allocate_block((1 << 20) - 5000);  // the same step of sizes
  EXPECT_EQ(second.data, first.data);
  free_block(second);
}

TEST(Blocks, ShrinkingGivesPagesBack) {
  const Block block = allocate_block(16 << 20);
  const int64_t before = stats().mapped;
  const size_t kept = shrink_block(block, 1 << 20);
  EXPECT_EQ(kept, size_t{1} << 20);
  EXPECT_EQ(before - stats().mapped, static_cast<int64_t>(block.bytes - kept));
  std::memset(block.data, 1, kept);
  free_block({block.data, kept});
}

#if !defined(PENSTOCK_SANITIZE_THREAD)

int64_t process_bytes() {
  long long pages = 0;
  long long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lld %lld", &pages, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

void touch(const Block& block) {
  for (size_t at = 0; at < block.bytes; at += 4096) static_cast<char*>(block.data)[at] = 1;
}

TEST(Resident, TenGibibytesInTurnKeepItFlat) {
  trim();
  const int64_t before = process_bytes();
  constexpr size_t kSizes[] = {100, 5000, 40000, 300000, 3 << 20, 20 << 20, 100 << 20};
  std::minstd_rand random(7);
  for (size_t total = 0; total < size_t{10} << 30;) {
    const Block block = allocate_block(kSizes[random() % std::size(kSizes)] + random() % 64);
    ASSERT_NE(block.data, nullptr);
    if (block.bytes < (4 << 20)) {
      touch(block);
    } else {
      static_cast<char*>(block.data)[block.bytes - 1] = 1;
    }
    total += block.bytes;
    free_block(block);
  }
  EXPECT_LT(process_bytes() - before, 128 << 20);  // the cache's limit
  trim();
  EXPECT_LT(process_bytes() - before, 10 << 20);
}

TEST(Resident, TrimComesBackToTheStart) {
  trim();
  const int64_t before = process_bytes();
  std::vector<Block> blocks;
  for (int i = 0; i < 60000; ++i) blocks.push_back(allocate_block(1 + (i * 37) % 8000));
  for (int i = 0; i < 40; ++i) blocks.push_back(allocate_block(1 << 20));
  for (const Block& block : blocks) touch(block);
  EXPECT_GT(process_bytes() - before, 100 << 20);
  for (const Block& block : blocks) free_block(block);
  std::vector<Block>().swap(blocks);
  trim();
  EXPECT_LT(process_bytes() - before, 10 << 20);
  EXPECT_EQ(stats().cached, 0);
}

TEST(Residence, IsOfPagesThatWereWritten) {
  const int64_t before = resident_bytes();
  const Block block = allocate_block(200 << 20);
  EXPECT_LT(resident_bytes() - before, 8 << 20);
  std::memset(block.data, 1, 64 << 20);
  EXPECT_GE(resident_bytes() - before, 64 << 20);
  EXPECT_LT(resident_bytes() - before, 80 << 20);
  const size_t kept = shrink_block(block, 32 << 20);
  EXPECT_LE(resident_bytes() - before, 32 << 20);
  free_block({block.data, kept});
  trim();
  EXPECT_LT(resident_bytes() - before, 8 << 20);
}

#endif
#endif

}  // namespace
}  // namespace penstock::memory
