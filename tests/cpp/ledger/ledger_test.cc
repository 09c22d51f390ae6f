// The ledger's own arithmetic, on a device that nothing else uses.
#include <penstock/ledger/ledger.h>

#include <atomic>
#include <random>

#include "support/testing.h"

namespace penstock {
namespace {

using testing_support::on_threads;

constexpr int kDevice = 5;

class Ledger : public testing::Test {
 protected:
  void SetUp() override { ledger::reset_peak(kDevice); }
  void TearDown() override {
    ledger::set_limit(kDevice, ledger::kNoLimit);
    EXPECT_EQ(ledger::device_counters(kDevice).current, 0);
  }
};

TEST_F(Ledger, CountsByDeviceAndTag) {
  const MemoryCounters before = ledger::device_counters(kDevice);
  ASSERT_TRUE(ledger::allocate(kDevice, Tag::kVariable, 0, 100));
  ASSERT_TRUE(ledger::allocate(kDevice, Tag::kWorkspace, 0, 7));
  EXPECT_EQ(ledger::device_counters(kDevice).current, 107);
  EXPECT_EQ(ledger::tag_counters(kDevice, Tag::kVariable).current, 100);
  ledger::release(kDevice, Tag::kVariable, 0, 100);
  const MemoryCounters after = ledger::device_counters(kDevice);
  EXPECT_EQ(after.current, 7);
  EXPECT_EQ(after.peak, 107);
  EXPECT_EQ(after.total - before.total, 107);
  EXPECT_EQ(after.count - before.count, 2);
  ledger::reset_peak(kDevice);
  EXPECT_EQ(ledger::device_counters(kDevice).peak, 7);
  ledger::release(kDevice, Tag::kWorkspace, 0, 7);
}

TEST_F(Ledger, MovesAndShrinksBytes) {
  const ledger::Owner owner = ledger::add_owner("weights");
  ASSERT_TRUE(ledger::allocate(kDevice, Tag::kActivation, 0, 100));
  ledger::resize(kDevice, Tag::kActivation, 0, 100, 60);
  ledger::move(kDevice, 60, Tag::kActivation, 0, Tag::kVariable, owner);
  EXPECT_EQ(ledger::tag_counters(kDevice, Tag::kActivation).current, 0);
  EXPECT_EQ(ledger::tag_counters(kDevice, Tag::kVariable).current, 60);
  EXPECT_EQ(ledger::device_counters(kDevice).current, 60);
  bool found = false;
  for (const ledger::Holding& holding : ledger::top_owners(1000)) {
    if (holding.owner != "weights") continue;
    found = true;
    EXPECT_EQ(holding.bytes, 60);
    EXPECT_EQ(holding.count, 1);
  }
  EXPECT_TRUE(found);
  ledger::release(kDevice, Tag::kVariable, owner, 60);
  ledger::remove_owner(owner);
}

TEST_F(Ledger, ALimitIsNeverPassed) {
  ledger::set_limit(kDevice, 100);
  ASSERT_TRUE(ledger::allocate(kDevice, Tag::kActivation, 0, 100));
  EXPECT_FALSE(ledger::allocate(kDevice, Tag::kActivation, 0, 1));
  EXPECT_FALSE(ledger::allocate(kDevice, Tag::kActivation, 0, INT64_MAX));
  EXPECT_TRUE(ledger::allocate(kDevice, Tag::kActivation, 0, 0));
  EXPECT_TRUE(ledger::allocate(kDevice, Tag::kForeign, 0, 1000));  // counted, not limited
  EXPECT_EQ(ledger::device_counters(kDevice).current, 100);
  EXPECT_EQ(ledger::tag_counters(kDevice, Tag::kForeign).current, 1000);
  ledger::release(kDevice, Tag::kForeign, 0, 1000);
  ledger::release(kDevice, Tag::kActivation, 0, 0);
  ledger::release(kDevice, Tag::kActivation, 0, 100);
}

TEST_F(Ledger, NoBytesPassNoLimit) {
  EXPECT_TRUE(ledger::allocate(kDevice, Tag::kActivation, 0, 200));
  ledger::set_limit(kDevice, 100);
  EXPECT_TRUE(ledger::fits(kDevice, Tag::kActivation, 0));
  EXPECT_TRUE(ledger::allocate(kDevice, Tag::kActivation, 0, 0));
  EXPECT_FALSE(ledger::allocate(kDevice, Tag::kActivation, 0, 1));
  ledger::release(kDevice, Tag::kActivation, 0, 0);
  ledger::release(kDevice, Tag::kActivation, 0, 200);
}

TEST_F(Ledger, IsExactUnderThreads) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 20000;
  const MemoryCounters before = ledger::device_counters(kDevice);
  ledger::set_limit(kDevice, 3000);
  std::atomic<int64_t> booked{0};
  std::atomic<int64_t> count{0};
  on_threads(kThreads, [&](int thread) {
    std::minstd_rand random(static_cast<unsigned>(thread + 1));
    for (int i = 0; i < kRounds; ++i) {
      const int64_t bytes = static_cast<int64_t>(random() % 1000);
      const Tag tag = random() % 2 == 0 ? Tag::kActivation : Tag::kGradient;
      if (!ledger::allocate(kDevice, tag, 0, bytes)) continue;
      booked += bytes;
      ++count;
      if (ledger::device_counters(kDevice).current > 3000) ADD_FAILURE() << "past the limit";
      ledger::release(kDevice, tag, 0, bytes);
    }
  });
  const MemoryCounters after = ledger::device_counters(kDevice);
  EXPECT_EQ(after.current, 0);
  EXPECT_EQ(after.total - before.total, booked.load());
  EXPECT_EQ(after.count - before.count, count.load());
  EXPECT_LE(after.peak, 3000);
  EXPECT_GE(after.peak, 999);
}

TEST_F(Ledger, PeakIsReachedAndNotInvented) {
  // All threads hold 10 bytes at once, exactly once: the peak is exactly their sum.
  constexpr int kThreads = 8;
  std::atomic<int> holding{0};
  on_threads(kThreads, [&](int) {
    ASSERT_TRUE(ledger::allocate(kDevice, Tag::kActivation, 0, 10));
    ++holding;
    while (holding.load() < kThreads) std::this_thread::yield();
    ledger::release(kDevice, Tag::kActivation, 0, 10);
  });
  EXPECT_EQ(ledger::device_counters(kDevice).peak, 10 * kThreads);
}

TEST_F(Ledger, OwnersComeBackOnceTheirBytesAreGone) {
  // Many more than there are places for: each is given back before the next is taken.
  for (int i = 0; i < 3 * ledger::kMaxOwners; ++i) {
    const ledger::Owner owner = ledger::add_owner("passing");
    ASSERT_NE(owner, 0);
    ledger::remove_owner(owner);
  }
}

TEST_F(Ledger, ALongNameIsCut) {
  const ledger::Owner owner = ledger::add_owner(std::string(500, 'x'));
  ASSERT_TRUE(ledger::allocate(kDevice, Tag::kActivation, owner, 1 << 30));
  EXPECT_EQ(ledger::top_owners(1)[0].owner, std::string(63, 'x'));
  ledger::release(kDevice, Tag::kActivation, owner, 1 << 30);
  ledger::remove_owner(owner);
}

TEST_F(Ledger, TheTableShowsTagsAndTopHolders) {
  const ledger::Owner owner = ledger::add_owner("dense/kernel");
  ASSERT_TRUE(ledger::allocate(kDevice, Tag::kDataset, owner, 123456));
  const std::string table = ledger::table(kDevice);
  for (const char* part : {"dataset", "123456", "all", "top holders", "dense/kernel"})
    EXPECT_NE(table.find(part), std::string::npos) << part << " in\n" << table;
  ledger::release(kDevice, Tag::kDataset, owner, 123456);
  ledger::remove_owner(owner);
}

}  // namespace
}  // namespace penstock
