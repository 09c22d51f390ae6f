// Tests of checkpoint schedules: optimality and long loops.
#include "plan/checkpoints.h"

#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace penstock::plan {
namespace {

// The fewest advances, by trying every place for the next state.
int64_t fewest(int64_t n, int64_t s) {
  static std::map<std::pair<int64_t, int64_t>, int64_t> known;
  if (n <= 1) return 0;
  if (s == 1) return n * (n - 1) / 2;
  if (const auto found = known.find({n, s}); found != known.end()) return found->second;
  int64_t best = INT64_MAX;
  for (int64_t m = 1; m < n; ++m) best = std::min(best, m + fewest(n - m, s - 1) + fewest(m, s));
  return known[{n, s}] = best;
}

// The steps of a reversal that follows next_kept().
int64_t advances_of(int64_t n, int64_t s) {
  if (n <= 1) return 0;
  if (s == 1) return n * (n - 1) / 2;
  const int64_t m = next_kept(n, s);
  EXPECT_GE(m, 1);
  EXPECT_LT(m, n);
  return m + advances_of(n - m, s - 1) + advances_of(m, s);
}

TEST(Checkpoints, NoScheduleNeedsFewerSteps) {
  for (int64_t s = 1; s <= 7; ++s) {
    for (int64_t n = 0; n <= 60; ++n) {
      EXPECT_EQ(num_advances(n, s), fewest(n, s)) << n << " steps, " << s << " states";
      EXPECT_EQ(advances_of(n, s), fewest(n, s)) << n << " steps, " << s << " states";
    }
  }
}

TEST(Checkpoints, LongLoops) {
  EXPECT_EQ(num_advances(1000, 10), 3636);
  EXPECT_EQ(advances_of(1000, 10), 3636);
  EXPECT_EQ(advances_of(100'000, 20), num_advances(100'000, 20));
  EXPECT_EQ(num_advances(1'000'000'000, 2'000'000'000), 999'999'999);
}

TEST(Checkpoints, ByDefaultEveryStepIsMadeTwiceAtMost) {
  for (int64_t n : {2, 10, 100, 2000, 1'000'000}) {
    const int64_t kept = default_checkpoints(n);
    EXPECT_LE(num_advances(n, kept + 1), 2 * n);
    EXPECT_LE(kept * kept, 2 * n + 2);
  }
}

}  // namespace
}  // namespace penstock::plan
