// Tests of injected allocation failures.
#include <penstock/tensor/tensor.h>

#include "support/testing.h"

namespace penstock {
namespace {

using testing_support::FaultScope;

bool works(Tag tag = Tag::kActivation) {
  try {
    static_cast<void>(Tensor::empty(DType::kUInt8, Shape{10}, tag));
    return true;
  } catch (const ResourceExhaustedError&) {
    return false;
  }
}

std::string pattern(int count, Tag tag = Tag::kActivation) {
  std::string seen;
  for (int i = 0; i < count; ++i) seen += works(tag) ? '.' : 'x';
  return seen;
}

TEST(Faults, TheNthFails) {
  const FaultScope faults({.nth = 3, .every = 0, .tag = {}});
  EXPECT_EQ(pattern(6), "..x...");
}

TEST(Faults, EveryKthFails) {
  const FaultScope faults({.nth = 0, .every = 2, .tag = {}});
  EXPECT_EQ(pattern(6), ".x.x.x");
}

TEST(Faults, OnlyATagCounts) {
  const FaultScope faults({.nth = 2, .every = 0, .tag = Tag::kGradient});
  EXPECT_EQ(pattern(4), "....");
  EXPECT_EQ(pattern(3, Tag::kGradient), ".x.");
}

TEST(Faults, CountTheAllocationsAndEnd) {
  memory::inject({});
  EXPECT_EQ(pattern(5), ".....");
  EXPECT_EQ(memory::end_injection(), 5);
  memory::inject({.nth = 1, .every = 0, .tag = {}});
  memory::end_injection();
  EXPECT_TRUE(works());
}

TEST(Faults, SayWhatTheyAre) {
  const FaultScope faults({.nth = 1, .every = 0, .tag = {}});
  EXPECT_ERROR(ResourceExhaustedError, "an injected fault", Tensor(1.0));
}

TEST(Faults, AListOfStringsThatFailsHalfWayLeavesNothing) {
  const std::vector<std::string_view> texts{"one", "two", "three"};
  const int64_t before = memory::info().current;
  for (int64_t nth = 1; nth <= 4; ++nth) {
    const FaultScope faults({.nth = nth, .every = 0, .tag = {}});
    EXPECT_THROW(Tensor::from_strings(texts, Shape{3}), ResourceExhaustedError);
    EXPECT_EQ(memory::info().current, before);
  }
}

}  // namespace
}  // namespace penstock
