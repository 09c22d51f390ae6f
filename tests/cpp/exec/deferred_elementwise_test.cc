// A call that waits for the op which uses its result runs as part of it.
#include <penstock/autodiff/tape.h>
#include <penstock/exec/deferred_elementwise.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>
#include <penstock/ops/registry.h>

#include "support/testing.h"

namespace penstock {
namespace {

constexpr int64_t kSize = 100'003;  // several blocks, and a rest
constexpr int64_t kBytes = kSize * 4;

std::unique_ptr<DeferredElementwise> wait(const char* name, std::initializer_list<Tensor> inputs) {
  SmallVector<const Tensor*, 2> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  return DeferredElementwise::make(*find_op(name), pointers);
}

Tensor numbers(float step, const Shape& shape = {kSize}) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = step * static_cast<float>(i % 1000);
  return Tensor::from(std::span<const float>(values), shape);
}

TEST(DeferredElementwise, RunsBlockByBlock) {
  const OpDef& subtract = *find_op("Sub");
  const Tensor x = numbers(0.25f), y = numbers(0.5f);
  const std::vector<float> expected = (x - square(y)).to_vector<float>();
  const int64_t before = memory::info().current;
  memory::reset_peak();
  const Tensor result = wait("Square", {y})->run_into(subtract, x, false);
  EXPECT_EQ(memory::info().peak - before, kBytes);
  EXPECT_EQ(result.to_vector<float>(), expected);
  EXPECT_TRUE(x.has_data());

  Tensor given = numbers(0.25f);
  const void* place = given.raw();
  memory::reset_peak();
  const int64_t held = memory::info().current;
  const Tensor in_place = wait("Square", {y})->run_into(subtract, given, true);
  EXPECT_EQ(memory::info().peak, held);
  EXPECT_EQ(in_place.raw(), place);
  EXPECT_FALSE(given.has_data());
  EXPECT_EQ(in_place.to_vector<float>(), expected);
}

TEST(DeferredElementwise, SingleNumbersStandForMany) {
  const Tensor x = numbers(0.25f, {101, 990}), half(0.5f);
  const std::unique_ptr<DeferredElementwise> scaled = wait("Mul", {half, x});
  ASSERT_NE(scaled, nullptr);
  EXPECT_EQ(scaled->description().shape(), x.shape());
  EXPECT_EQ(scaled->run_into(*find_op("AddV2"), half, false).to_vector<float>(),
            (half + half * x).to_vector<float>());
  EXPECT_EQ(scaled->run().to_vector<float>(), (half * x).to_vector<float>());
}

TEST(DeferredElementwise, WhatDoesNotFitRunsOnItsOwn) {
  const Tensor x = numbers(0.25f), row = numbers(1, {1, kSize});
  const std::unique_ptr<DeferredElementwise> squared = wait("Square", {x});
  const Tensor result = squared->run_into(*find_op("AddV2"), row, false);
  EXPECT_EQ(result.shape(), (Shape{1, kSize}));
  EXPECT_EQ(result.to_vector<float>(), (row + square(x)).to_vector<float>());
  EXPECT_THROW(squared->run_into(*find_op("AddV2"), Tensor({1, 2, 3}), false), Error);
  EXPECT_THROW(squared->run_into(*find_op("AddV2"), numbers(1, {7}), false), InvalidArgumentError);
}

TEST(DeferredElementwise, SomeCallsCannotWait) {
  const Tensor x = numbers(1), row = numbers(1, {1, kSize});
  EXPECT_EQ(wait("AddV2", {x, row}), nullptr);                     // they broadcast
  EXPECT_EQ(wait("AddV2", {Tensor({1, 2}), Tensor(1)}), nullptr);  // integers
  EXPECT_EQ(wait("Less", {x, x}), nullptr);                        // the result is of another dtype
  EXPECT_EQ(wait("MatMul", {row, row}), nullptr);
  Tape tape;
  tape.watch(x);
  EXPECT_EQ(wait("Square", {x}), nullptr);
}

TEST(DeferredElementwise, AFailureToAllocateLeavesTheInputs) {
  Tensor x = numbers(0.25f);
  const std::unique_ptr<DeferredElementwise> squared = wait("Square", {x});
  const int64_t budget = memory::budget();
  memory::set_budget(memory::info().current);
  EXPECT_THROW(squared->run_into(*find_op("Sub"), x, true), ResourceExhaustedError);
  memory::set_budget(budget);
  EXPECT_TRUE(x.has_data());
}

}  // namespace
}  // namespace penstock
