// Tests of buffers: borrowing, alignment, tags, shrinking, references.
#include <penstock/memory/buffer.h>

#include <cstring>

#include <penstock/tensor/tensor.h>

#include "support/testing.h"

namespace penstock {
namespace {

using testing_support::FaultScope;

void count(void* context) { ++*static_cast<int*>(context); }

TEST(Borrow, SharesTheMemoryAndGivesItBackOnce) {
  alignas(8) float values[3] = {1, 2, 3};
  int given_back = 0;
  {
    const Tensor tensor = Tensor::borrow(DType::kFloat32, {3}, values, count, &given_back, false);
    const Tensor copy = tensor;
    EXPECT_EQ(tensor.data<float>().data(), values);
    EXPECT_EQ(memory::info(Tag::kForeign).current, 12);
    EXPECT_EQ(given_back, 0);
  }
  EXPECT_EQ(given_back, 1);
}

TEST(Borrow, IsNoPartOfTheBudget) {
  const testing_support::BudgetScope budget(0);
  float value = 1;
  int given_back = 0;
  EXPECT_EQ(Tensor::borrow(DType::kFloat32, {}, &value, count, &given_back, true).item<float>(), 1);
  EXPECT_EQ(given_back, 1);
}

TEST(Borrow, GivesBackWhenItFails) {
  alignas(8) char bytes[64] = {};
  int given_back = 0;
  const auto borrow = [&](DType dtype, const Shape& shape, void* data) {
    return Tensor::borrow(dtype, shape, data, count, &given_back, false);
  };
  EXPECT_ERROR(InvalidArgumentError, "aligned", borrow(DType::kFloat64, {2}, bytes + 4));
  EXPECT_EQ(given_back, 1);
  EXPECT_ERROR(InvalidArgumentError, "cannot be borrowed", borrow(DType::kString, {1}, bytes));
  EXPECT_EQ(given_back, 2);
  EXPECT_ERROR(InvalidArgumentError, "known shape", borrow(DType::kInt8, {kUnknownDim}, bytes));
  EXPECT_EQ(given_back, 3);
  const Shape huge{int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_THROW(borrow(DType::kInt8, huge, bytes), ResourceExhaustedError);
  EXPECT_EQ(given_back, 4);
  const FaultScope faults({.nth = 1, .every = 0, .tag = {}});
  EXPECT_THROW(borrow(DType::kInt8, {2}, bytes), ResourceExhaustedError);
  EXPECT_EQ(given_back, 5);
}

TEST(Borrow, ElementAlignmentIsEnough) {
  alignas(64) char bytes[64] = {};
  for (int d = 1; d < kNumDTypes - 1; ++d) {
    const auto dtype = static_cast<DType>(d);
    const size_t alignment = std::min<size_t>(dtype_size(dtype), 8);
    EXPECT_TRUE(Tensor::borrow(dtype, {1}, bytes + alignment, nullptr, nullptr, true).has_data());
  }
}

TEST(Buffer, IsAlignedAndCountsWhatWasAskedFor) {
  for (int64_t bytes : {0, 1, 63, 64, 1000, 100000}) {
    const int64_t before = memory::info().current;
    const BufferRef buffer(allocate_buffer({.bytes = bytes, .device = {}}));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data) % kAlignment, 0u);
    EXPECT_EQ(memory::info().current - before, bytes);
  }
}

TEST(Buffer, CanChangeItsTag) {
  const BufferRef buffer(allocate_buffer({.bytes = 100, .device = {}}));
  const int64_t before = memory::info(Tag::kVariable).current;
  retag_buffer(*buffer.get(), Tag::kVariable, 0);
  EXPECT_EQ(memory::info(Tag::kVariable).current - before, 100);
}

TEST(Buffer, ShrinkingIsBooked) {
  const int64_t before = memory::info().current;
  const BufferRef buffer(allocate_buffer({.bytes = 1 << 20, .device = {}}));
  shrink_buffer(*buffer.get(), 100000);
  EXPECT_EQ(memory::info().current - before, 100000);
  std::memset(buffer->data, 1, 100000);
}

TEST(Buffer, ReferencesMayGoOnManyThreads) {
  for (int round = 0; round < 200; ++round) {
    const Tensor tensor = Tensor::empty(DType::kUInt8, {100});
    std::vector<Tensor> copies(4, tensor);
    testing_support::on_threads(4, [&](int i) {
      const Tensor mine = copies[static_cast<size_t>(i)];
      copies[static_cast<size_t>(i)] = Tensor();
    });
  }
}

}  // namespace
}  // namespace penstock
