// Tests of the budget: refusal, threads, parsing of sizes.
#include <atomic>
#include <random>

#include <penstock/memory/memory.h>
#include <penstock/tensor/tensor.h>

#include "support/testing.h"

namespace penstock {
namespace {

using testing_support::BudgetScope;
using testing_support::error_text;
using testing_support::on_threads;

Tensor bytes(int64_t count) { return Tensor::empty(DType::kUInt8, Shape{count}); }

TEST(Budget, AnAllocationPastItIsRefusedAndNothingIsLost) {
  const BudgetScope budget(1000);
  const Tensor held = bytes(600);
  const int64_t current = memory::info().current;
  EXPECT_THROW(bytes(401), ResourceExhaustedError);
  EXPECT_EQ(memory::info().current, current);
  EXPECT_EQ(bytes(400).num_bytes(), 400);  // exactly the remaining bytes
}

TEST(Budget, TheErrorShowsWhoHoldsTheMemory) {
  const BudgetScope budget(5 << 20);
  const ledger::Owner owner = ledger::add_owner("embedding/table");
  const Tensor held = Tensor::empty(DType::kUInt8, Shape{4 << 20}, Tag::kVariable, owner);
  const std::string text = error_text<ResourceExhaustedError>([] { bytes(2 << 20); });
  for (const char* part : {"cannot allocate 2097152 bytes (activation) on CPU:0", "the budget is",
                           "are in use", "variable", "4194304", "top holders", "embedding/table"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  ledger::remove_owner(owner);
}

TEST(Budget, IsNeverPassedUnderThreads) {
  constexpr int64_t kRoom = 1 << 20;
  const int64_t before = memory::info().current;
  const BudgetScope budget(kRoom);
  memory::reset_peak();
  std::atomic<int> refused{0};
  on_threads(8, [&](int thread) {
    std::minstd_rand random(static_cast<unsigned>(thread + 1));
    for (int i = 0; i < 2000; ++i) {
      try {
        const Tensor a = bytes(static_cast<int64_t>(random() % (kRoom * 3 / 4)));
        const Tensor b = bytes(static_cast<int64_t>(random() % (kRoom * 3 / 4)));
        if (memory::info().current > before + kRoom) ADD_FAILURE() << "past the budget";
      } catch (const ResourceExhaustedError&) {
        ++refused;
      }
    }
  });
  EXPECT_LE(memory::info().peak, before + kRoom);
  EXPECT_GT(refused.load(), 0);
}

TEST(Budget, RefusesNonsense) {
  EXPECT_ERROR(InvalidArgumentError, "negative", memory::set_budget(-1));
  EXPECT_ERROR(InvalidArgumentError, "not a device", memory::info(Device{200}));
}

TEST(ParseBytes, ReadsUnits) {
  EXPECT_EQ(memory::parse_bytes("64"), 64);
  EXPECT_EQ(memory::parse_bytes("512MiB"), 512 << 20);
  EXPECT_EQ(memory::parse_bytes("1.5GB"), 1500000000);
  EXPECT_EQ(memory::parse_bytes("2 KiB"), 2048);
  for (const char* bad : {"", "MiB", "-1", "1XB", "nan", "inf", "1e40", "3 MiB extra", "0x10"})
    EXPECT_ERROR(InvalidArgumentError, "is not a number of bytes", memory::parse_bytes(bad));
}

TEST(Allocation, AbsurdSizesAreRefused) {
  const Shape most{INT64_MAX};
  EXPECT_THROW(Tensor::empty(DType::kUInt8, most), ResourceExhaustedError);
  EXPECT_THROW(Tensor::empty(DType::kFloat64, most), ResourceExhaustedError);
  const int64_t before = memory::budget();
  memory::set_budget(INT64_MAX);  // then the system says no
  EXPECT_THROW(Tensor::empty(DType::kUInt8, most), ResourceExhaustedError);
  const MemoryCounters counters = memory::info();
  EXPECT_THROW(Tensor::empty(DType::kUInt8, Shape{int64_t{1} << 60}), ResourceExhaustedError);
  EXPECT_EQ(memory::info().peak, counters.peak) << "what the system refused was never held";
  EXPECT_EQ(memory::info().total, counters.total);
  EXPECT_EQ(memory::info().count, counters.count);
  memory::set_budget(before);
}

}  // namespace
}  // namespace penstock
