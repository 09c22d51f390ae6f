// A donated input without other references gives its buffer to the result.
#include <penstock/autodiff/tape.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "support/test_ops.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;

TEST(Forwarding, AnInputHandedOverIsOverwritten) {
  Tensor x{1.f, 2.f};
  const void* place = x.raw();
  const int64_t before = memory::info().current;
  const Tensor y = twice(std::move(x));
  EXPECT_EQ(y.raw(), place);
  EXPECT_EQ(memory::info().current, before);
  EXPECT_FALSE(x.has_data());  // NOLINT: its state after the move is documented
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST(Forwarding, AnInputThatStaysIsNot) {
  const Tensor x{1.f, 2.f};
  EXPECT_NE(twice(x).raw(), x.raw());
  EXPECT_EQ(x.number_at(0), 1);
}

TEST(Forwarding, ASharedInputIsNot) {
  Tensor x{1.f, 2.f};
  const Tensor copy = x;
  const Tensor y = twice(std::move(x));
  EXPECT_NE(y.raw(), copy.raw());
  EXPECT_EQ(copy.number_at(0), 1);
}

TEST(Forwarding, ReadOnlyMemoryIsNot) {
  float values[2] = {1, 2};
  Tensor x = Tensor::borrow(DType::kFloat32, {2}, values, nullptr, nullptr, true);
  const Tensor y = twice(std::move(x));
  EXPECT_NE(y.raw(), static_cast<void*>(values));
  EXPECT_EQ(values[0], 1);
}

TEST(Forwarding, PartOfABufferIsNot) {
  Tensor whole{1.f, 2.f, 3.f, 4.f};
  Tensor part = Tensor::over(whole.buffer(), 0, DType::kFloat32, {2});
  whole = Tensor();
  const void* place = part.raw();
  const Tensor y = twice(std::move(part));  // its buffer is larger than it
  EXPECT_NE(y.raw(), place);
}

TEST(Forwarding, AFailedCallLeavesTheInputAsItWas) {
  Tensor x{1.f, -2.f};
  const void* place = x.raw();
  EXPECT_THROW(twice(std::move(x)), InvalidArgumentError);
  ASSERT_TRUE(x.has_data());  // NOLINT
  EXPECT_EQ(x.raw(), place);
  EXPECT_EQ(x.number_at(0), 1);
}

TEST(Forwarding, WhatATapeKeepsIsNot) {
  Tensor x{3.f};
  Tape tape;
  tape.watch(x);
  const Source source = x;
  const Tensor y = square(std::move(x));
  EXPECT_EQ(Tensor(tape.gradient(y, source)).number_at(0), 6);
}

TEST(Forwarding, AnInputIsIntactWhenTheTapeHasNoMemory) {
  // Whichever allocation fails: when the call throws, its input has its old values.
  for (int64_t nth = 1; nth < 10; ++nth) {
    Tensor x{1.f, 2.f};
    Tape tape;
    tape.watch(x);
    const FaultScope faults({.nth = nth, .every = 0, .tag = {}});
    try {
      static_cast<void>(twice(std::move(x)));
    } catch (const ResourceExhaustedError&) {
      ASSERT_TRUE(x.has_data());  // NOLINT
      EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2})) << "allocation " << nth;
    }
  }
}

TEST(Forwarding, OperatorsUseTheirTemporaries) {
  const Tensor a{1.f, 2.f};
  memory::reset_peak();
  const int64_t before = memory::info().current;
  const Tensor y = a * a + a - a;
  EXPECT_EQ(memory::info().peak - before, 8);  // one buffer, not three
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 4}));
}

TEST(Forwarding, TheSameTensorOnBothSidesIsSafe) {
  Tensor a{1.f, 2.f};
  const Tensor y = add(std::move(a), a);  // NOLINT: both are the same object
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 4}));
}

}  // namespace
}  // namespace penstock
