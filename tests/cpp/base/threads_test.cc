// Tests of the thread pool: coverage, nesting, concurrent callers.
#include <penstock/base/threads.h>

#include <atomic>
#include <vector>

#include "support/testing.h"

namespace penstock {
namespace {

using testing_support::on_threads;

class Threads : public testing::Test {
 protected:
  void SetUp() override { before_ = num_threads(); }
  void TearDown() override { set_num_threads(before_); }
  int before_ = 1;
};

void expect_each_once(int64_t total, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(total));
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
  });
  for (const auto& count : seen) ASSERT_EQ(count.load(), 1);
}

TEST_F(Threads, EveryIndexIsVisitedOnce) {
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    for (int64_t total : {0, 1, 2, 7, 1000, 4097}) {
      for (int64_t grain : {1, 16, 100000}) expect_each_once(total, grain);
    }
  }
}

TEST_F(Threads, NestedLoopsRunOnTheirThread) {
  set_num_threads(4);
  std::atomic<int64_t> sum{0};
  parallel_for(8, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(100, 1, [&](int64_t b, int64_t e) { sum += e - b; });
    }
  });
  EXPECT_EQ(sum.load(), 800);
}

TEST_F(Threads, ManyCallersAtOnceAllGetTheirWorkDone) {
  set_num_threads(4);
  on_threads(4, [](int) {
    for (int i = 0; i < 50; ++i) expect_each_once(500, 10);
  });
}

TEST_F(Threads, RefusesNoThreads) {
  EXPECT_ERROR(InvalidArgumentError, "at least 1, not 0", set_num_threads(0));
}

}  // namespace
}  // namespace penstock
