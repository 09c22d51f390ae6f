// Tests of the offset planner: optimality, alignment, determinism, mistakes; find_fault.
#include <penstock/plan/offsets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <penstock/base/error.h>

#include "plan/effort.h"
#include "support/testing.h"

namespace penstock::plan {
namespace {

std::vector<Block> random_blocks(Random& random, int count, int64_t times, int64_t most) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) {
    const int64_t lower = random.below(times);
    blocks.push_back({lower, lower + 1 + random.below(times - lower), 1 + random.below(most)});
  }
  return blocks;
}

// Cuts a box of time and bytes in two until there are `count` pieces: blocks that fill a height
// without a hole, in no order.
std::vector<Block> cut_box(Random& random, size_t count, int64_t times, int64_t height) {
  std::vector<Block> blocks = {{0, times, height}};
  while (blocks.size() < count) {
    Block& part = blocks[random.below(static_cast<int64_t>(blocks.size()))];
    Block rest = part;
    if (random.uniform() < 0.5) {
      if (part.upper - part.lower == 1) continue;
      part.upper = rest.lower = part.lower + 1 + random.below(part.upper - part.lower - 1);
    } else {
      if (part.size == 1) continue;
      part.size = 1 + random.below(part.size - 1);
      rest.size -= part.size;
    }
    blocks.push_back(rest);
  }
  for (size_t i = blocks.size(); i > 1; --i)
    std::swap(blocks[i - 1], blocks[random.below(static_cast<int64_t>(i))]);
  return blocks;
}

bool live_together(const Block& a, const Block& b) {
  return a.lower < b.upper && b.lower < a.upper;
}

// The least height, over all orders in which blocks can be put to the lowest place that is free.
int64_t least_height(const std::vector<Block>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  int64_t least = std::numeric_limits<int64_t>::max();
  do {
    std::vector<int64_t> offsets(blocks.size());
    int64_t height = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const Block& block = blocks[order[i]];
      int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < i; ++j) {
          const Block& other = blocks[order[j]];
          if (!live_together(block, other) || offset + block.size <= offsets[order[j]] ||
              offsets[order[j]] + other.size <= offset) {
            continue;
          }
          offset = offsets[order[j]] + other.size;
          moved = true;
        }
      }
      offsets[order[i]] = offset;
      height = std::max(height, offset + block.size);
    }
    least = std::min(least, height);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

int64_t most_live(const std::vector<Block>& blocks) {
  int64_t most = 0;
  for (const Block& at : blocks) {
    int64_t sum = 0;
    for (const Block& block : blocks)
      if (block.lower <= at.lower && at.lower < block.upper) sum += block.size;
    most = std::max(most, sum);
  }
  return most;
}

Layout planned(const std::vector<Block>& blocks, const Options& options = {}) {
  const Layout layout = plan_offsets(blocks, options);
  EXPECT_EQ(find_fault(blocks, layout.offsets, layout.height, options.alignment), "");
  EXPECT_LE(layout.lower_bound, layout.height);
  return layout;
}

TEST(Offsets, NothingNeedsNothing) {
  const Layout layout = planned({});
  EXPECT_EQ(layout.height, 0);
  EXPECT_EQ(layout.gap, 0);
  EXPECT_EQ(planned({{0, 5, 0}, {1, 2, 0}}).height, 0);
}

TEST(Offsets, BlocksThatDoNotMeetShareTheirBytes) {
  const Layout layout = planned({{0, 2, 10}, {2, 4, 10}, {-7, 0, 6}});
  EXPECT_EQ(layout.height, 10);
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(layout.stage, Stage::kTrivial);
}

TEST(Offsets, SmallProblemsAreSolvedAndProved) {
  Random random(1);
  for (int i = 0; i < 150; ++i) {
    const std::vector<Block> blocks = random_blocks(random, 2 + i % 6, 8, 9);
    const Layout layout = planned(blocks, {.time_limit = 10});
    ASSERT_EQ(layout.height, least_height(blocks)) << "problem " << i;
    ASSERT_EQ(layout.lower_bound, layout.height) << "problem " << i;
  }
}

TEST(Offsets, SmallTightProblemsAreSolved) {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const std::vector<Block> blocks = cut_box(random, 7, 5, 12);
    ASSERT_EQ(planned(blocks, {.time_limit = 10}).height, 12) << "problem " << i;
  }
}

TEST(Offsets, BoxesCutIntoManyBlocksAreFilledWithoutAHole) {
  Random random(3);
  for (const size_t count : {30, 60, 100}) {
    const std::vector<Block> blocks = cut_box(random, count, 100, 1 << 20);
    const Layout layout = planned(blocks, {.time_limit = 30});
    EXPECT_EQ(layout.height, 1 << 20) << count << " blocks";
    EXPECT_EQ(layout.gap, 0);
  }
}

TEST(Offsets, SlowBoxesCutIntoHundredsOfBlocks) {
  Random random(4);
  for (int i = 0; i < 5; ++i) {
    const Layout layout = planned(cut_box(random, 300, 400, 1 << 20), {.time_limit = 60});
    EXPECT_LE(layout.gap, 0.02);
  }
}

TEST(Offsets, TheBoundIsWhatLivesAtOnce) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const std::vector<Block> blocks = random_blocks(random, 60, 40, 1000);
    const Layout layout = planned(blocks);
    EXPECT_GE(layout.lower_bound, most_live(blocks));
    EXPECT_DOUBLE_EQ(layout.gap, static_cast<double>(layout.height) / layout.lower_bound - 1);
  }
}

TEST(Offsets, OffsetsAreAligned) {
  Random random(6);
  const std::vector<Block> blocks = random_blocks(random, 80, 50, 1000);
  const Layout layout = planned(blocks, {.alignment = 64});
  EXPECT_EQ(layout.height % 64, 0);
  EXPECT_EQ(planned({{0, 2, 1}, {0, 2, 65}}, {.alignment = 64}).height, 192);
}

TEST(Offsets, TheSameInputGivesTheSameLayout) {
  Random random(7);
  const std::vector<Block> blocks = random_blocks(random, 300, 60, 1 << 16);
  const Options options = {.time_limit = 2, .seed = 5};
  const Layout once = planned(blocks, options);
  const Layout again = planned(blocks, options);
  // A machine that is busy may be cut short by the clock: then there is nothing to compare.
  if (std::max(once.seconds, again.seconds) < options.time_limit) {
    EXPECT_EQ(once.offsets, again.offsets);
  }
}

TEST(Offsets, WithoutTimeThereIsALayout) {
  Random random(8);
  planned(random_blocks(random, 500, 300, 1000), {.time_limit = 0});
}

TEST(Offsets, ManyBlocksThatFollowEachOther) {
  // Each step makes a block and frees the one before the last, as a chain of layers does.
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 200'000; ++i) blocks.push_back({i, i + 2, 1000});
  EXPECT_EQ(planned(blocks).height, 2000);
}

TEST(Offsets, NestedLifetimes) {
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 3000; ++i) blocks.push_back({i, 6000 - i, 1 + i % 7});
  EXPECT_EQ(planned(blocks).gap, 0);
}

TEST(Offsets, ProgressIsTold) {
  Random random(9);
  const std::vector<Block> blocks = cut_box(random, 400, 300, 1 << 20);
  int calls = 0;
  Options options = {.time_limit = 20};
  options.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.height, progress.lower_bound);
    if (++calls == 2) throw std::runtime_error("enough");
  };
  try {
    plan_offsets(blocks, options);
  } catch (const std::runtime_error&) {
    EXPECT_EQ(calls, 2);
  }
}

TEST(Offsets, MistakesAreRefused) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto refused = [](const std::vector<Block>& blocks, const Options& options = {}) {
    EXPECT_THROW(plan_offsets(blocks, options), InvalidArgumentError);
  };
  refused({{0, 1, -1}});
  refused({{1, 1, 4}});
  refused({{2, 1, 4}});
  refused({{0, 1, kMost}, {5, 6, 1}});
  refused({{0, 1, kMost}}, {.alignment = 64});
  refused({{0, 1, 4}}, {.alignment = 0});
  refused({{0, 1, 4}}, {.time_limit = -1});
  refused({{0, 1, 4}}, {.time_limit = std::nan("")});
  refused(std::vector<Block>(kMaxBlocks + 1, Block{0, 1, 1}));
  EXPECT_EQ(planned({{-kMost - 1, kMost, kMost}}).height, kMost);
}

TEST(FindFault, SeesWhatIsWrong) {
  const std::vector<Block> blocks = {{0, 4, 10}, {2, 6, 10}, {4, 8, 10}, {0, 8, 0}};
  const auto fault = [&](std::vector<int64_t> offsets, int64_t height, int64_t alignment = 1) {
    return find_fault(blocks, offsets, height, alignment);
  };
  EXPECT_EQ(fault({0, 10, 0, 5}, 20), "");
  EXPECT_NE(fault({0, 9, 0, 0}, 20).find("overlaps"), std::string::npos);
  EXPECT_NE(fault({9, 0, 10, 0}, 20).find("overlaps"), std::string::npos);
  EXPECT_NE(fault({0, 0, 10, 0}, 20).find("overlaps"), std::string::npos);
  EXPECT_NE(fault({0, 10, 0, 0}, 19).find("leaves the arena"), std::string::npos);
  EXPECT_NE(fault({-1, 10, 0, 0}, 20).find("leaves the arena"), std::string::npos);
  EXPECT_NE(fault({0, 10, 0, 0}, 20, 8).find("not aligned"), std::string::npos);
  EXPECT_NE(fault({0, 10}, 20).find("offsets"), std::string::npos);
}

TEST(FindFault, SeesEveryShiftedBlockOfAFullBox) {
  Random random(10);
  const std::vector<Block> blocks = cut_box(random, 30, 40, 1000);
  const Layout layout = planned(blocks, {.time_limit = 20});
  ASSERT_EQ(layout.height, 1000);
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::vector<int64_t> offsets = layout.offsets;
    offsets[i] += 1;
    EXPECT_NE(find_fault(blocks, offsets, layout.height), "") << "block " << i;
  }
}

}  // namespace
}  // namespace penstock::plan
