// After every test the ledger's current bytes must be the same as before it.
#include <gtest/gtest.h>

#include <penstock/memory/memory.h>

namespace penstock {
namespace {

class BalancedLedger : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    device_ = memory::info().current;
    foreign_ = memory::info(Tag::kForeign).current;
  }
  void OnTestEnd(const testing::TestInfo&) override {
    EXPECT_EQ(memory::info().current, device_) << "the test left bytes in the ledger";
    EXPECT_EQ(memory::info(Tag::kForeign).current, foreign_) << "borrowed memory was not returned";
  }

  int64_t device_ = 0;
  int64_t foreign_ = 0;
};

class Environment : public testing::Environment {
  void SetUp() override {
    testing::UnitTest::GetInstance()->listeners().Append(new BalancedLedger);
  }
};

[[maybe_unused]] testing::Environment* const g_environment =
    testing::AddGlobalTestEnvironment(new Environment);

}  // namespace
}  // namespace penstock
