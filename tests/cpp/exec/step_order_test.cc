// The order in which a function's ops run: as little as possible is held at the worst moment.
#include <penstock/exec/function.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Order, WhatIsUsedUpAtOnceDoesNotWait) {
  const int64_t n = 60, count = 30;
  Trace trace("f");
  const Tensor column = trace.input(DType::kFloat32, {n, 1});
  const Tensor row = trace.input(DType::kFloat32, {n});
  std::vector<Tensor> tables, sums;
  for (int64_t i = 0; i < count; ++i) tables.push_back(column * (row + static_cast<double>(i)));
  for (const Tensor& table : tables) sums.push_back(reduce_sum(table, {0}));
  const Function function = trace.finish({add_n(sums)});
  const MemoryPlan plan = function.plan();
  const int64_t table_bytes = n * n * 4;
  EXPECT_LT(plan.arena_bytes, 2 * table_bytes);
  const Tensor ones_column = ones_like(Tensor::from<float>(std::vector<float>(n), {n, 1}));
  const Tensor ones_row = reshape(ones_column, Tensor{static_cast<int32_t>(n)});
  const double expected = static_cast<double>(n * (count + count * (count - 1) / 2));
  EXPECT_EQ(function({ones_column, ones_row})[0].number_at(0), expected);
}

TEST(Order, LargeGraphsAreOrderedToo) {
  Trace trace("f");
  Tensor x = trace.input(DType::kFloat32, {8});
  for (int i = 0; i < 2000; ++i) x = x * 0.5 + x;
  const Function function = trace.finish({x});
  EXPECT_EQ(function.plan().instructions.size(), 4000u);
  EXPECT_LE(function.plan().arena_bytes, 192);
}

}  // namespace
}  // namespace penstock
