// Elementwise ops that run together give the bits that they give one by one, and hold no more than
// their tiles.
#include <algorithm>
#include <random>
#include <vector>

#include <penstock/base/strings.h>
#include <penstock/base/threads.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "exec/compile/fusion/tiles.h"
#include "support/functions.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;
std::vector<Tensor> chain(std::span<const Tensor> in) {
  Tensor z = in[0] * in[1] + in[0];
  z = tanh(z) * 0.5 + in[1];
  z = maximum(z, Tensor(0.1f)) - square(in[0]);
  return {exp(-abs(z)) + z * 0.25};
}

TEST(Fusion, AChainIsOneInstructionAndHoldsOnlyTiles) {
  const Shape shape{300, 1001};
  const MemoryPlan plan =
      expect_same(chain, {numbers(DType::kFloat32, shape, 1), numbers(DType::kFloat32, shape, 2)});
  ASSERT_EQ(plan.instructions.size(), 1u);
  EXPECT_EQ(plan.instructions[0].substr(0, 25), "Fused(Mul, AddV2, Tanh, M");
  EXPECT_EQ(plan.output_bytes, shape.num_bytes(4));
  EXPECT_LE(plan.arena_bytes, 4 * 4 * exec::kTileElements * max_threads());
}

TEST(Fusion, AnInputThatEndsIsOverwritten) {
  const Shape shape{100, 100};
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    return {reduce_sum(tanh(matmul(in[0], in[0]) * 2 + 1))};
  };
  const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, shape, 1)});
  const auto is_large = [&](const PlannedValue& value) { return value.shape == shape; };
  EXPECT_EQ(std::count_if(plan.values.begin(), plan.values.end(), is_large), 1);
}

TEST(Fusion, ValuesThatOthersNeedAreThere) {
  const Shape shape{50, 200};
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor a = in[0] + in[1];
    const Tensor b = tanh(a);
    const Tensor c = b * a;
    return {b, matmul(a, c, true), c, reduce_sum(b - c)};
  };
  expect_same(body, {numbers(DType::kFloat32, shape, 1), numbers(DType::kFloat32, shape, 2)});
}

TEST(Fusion, AWayThroughAnotherOpKeepsThemApart) {
  const Shape shape{80, 80};
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor a = tanh(in[0]);
    const Tensor b = matmul(a, a);
    return {a * 2 + b};
  };
  const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, shape, 1)});
  EXPECT_EQ(plan.instructions, (std::vector<std::string>{"Tanh", "MatMul", "Fused(Mul, AddV2)"}));
}

TEST(Fusion, Broadcasts) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    return {relu(in[0] * in[1] + in[2]) / in[3] - in[4]};
  };
  for (const int64_t columns : {1, 3, 64, 999, 5000, 9001}) {
    expect_same(body,
                {numbers(DType::kFloat32, {23, 7, columns}, 1),
                 numbers(DType::kFloat32, {columns}, 2), numbers(DType::kFloat32, {23, 7, 1}, 3),
                 numbers(DType::kFloat32, {1, 1}, 4), numbers(DType::kFloat32, {7, columns}, 5)});
  }
}

TEST(Fusion, AReshapeDoesNotStandBetween) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor a = reshape(tanh(in[0] * 2), Tensor::from<int32_t>({40, 15, 20}, {3}));
    const Tensor sum = a + in[1];
    const Tensor b = reshape(sum - square(a), Tensor::from<int32_t>({12000}, {1}));
    return {exp(b * 0.5)};
  };
  const MemoryPlan plan = expect_same(
      body, {numbers(DType::kFloat32, {600, 20}, 1), numbers(DType::kFloat32, {20}, 2)});
  EXPECT_EQ(plan.instructions, (std::vector<std::string>{
                                   "Fused(Mul, Tanh, AddV2, Square, Sub, Mul, Exp)", "Reshape"}));
}

// Where the elements would meet others, it has to stay.
TEST(Fusion, AReshapeThatChangesWhatMeets) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor a = reshape(tanh(in[0]), Tensor::from<int32_t>({50, 4, 50}, {3}));
    return {a * in[1], a + in[2]};
  };
  expect_same(body, {numbers(DType::kFloat32, {4, 50, 50}, 1), numbers(DType::kFloat32, {4, 1}, 2),
                     numbers(DType::kFloat32, {50, 1, 1}, 3)});
}

TEST(Fusion, AMistakeIsReported) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    return {floordiv(in[0] + 1, in[0] - in[1])};
  };
  const Tensor x = numbers(DType::kInt32, {20000}, 1);
  const Function function = traced(body, std::vector<Tensor>{x, x});
  ASSERT_EQ(function.plan().instructions.size(), 1u);
  EXPECT_ERROR(InvalidArgumentError, "division by zero", function({x, x}));
}

TEST(Fusion, VariablesAreUpdatedInPlace) {
  const Shape shape{30000};
  Variable v(numbers(DType::kFloat32, shape, 1));
  const void* place = v.value().raw();
  Trace trace("f");
  const Tensor g = trace.input(DType::kFloat32, shape);
  v.assign(v.value() - tanh(g) * 0.5);
  const Function step = trace.finish({});
  EXPECT_LT(step.plan().peak_bytes, shape.num_bytes(4));
  const Tensor gradient = numbers(DType::kFloat32, shape, 2);
  const Tensor expected = v.value() - tanh(gradient) * 0.5;
  step({gradient});
  EXPECT_EQ(v.value().raw(), place);
  EXPECT_EQ(v.value().to_vector<float>(), expected.to_vector<float>());
}

// A random expression of inputs that broadcast, in all dtypes.
std::vector<Tensor> random_ops(std::span<const Tensor> in, DType dtype, uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](size_t count) { return random() % count; };
  const bool is_bool = dtype == DType::kBool;
  std::vector<Tensor> pool(in.begin(), in.end());
  std::vector<Tensor> full{in[0]};
  for (size_t i = 0, count = 3 + pick(12); i < count; ++i) {
    const Tensor& a = full[pick(full.size())];
    const Tensor& b = pool[pick(pool.size())];
    Tensor made;
    switch (pick(6)) {
      case 0:
        made = is_bool ? logical_or(a, b) : a + b;
        break;
      case 1:
        made = is_bool ? logical_and(b, a) : b * a;
        break;
      case 2:
        made = is_bool ? logical_not(a) : square(a);
        break;
      case 3:
        made = select(not_equal(b, a), a, b);
        break;
      case 4:
        made = cast(cast(a, DType::kFloat64), dtype);
        break;
      case 5:
        made = kFloatTypes.has(dtype) ? tanh(a) : a;
        break;
    }
    pool.push_back(made);
    full.push_back(made);
  }
  return {full.back(), full[pick(full.size())],
          reduce_sum(cast(full[full.size() / 2], DType::kInt32))};
}

TEST(Fusion, RandomExpressionsGiveTheSameBits) {
  using enum DType;
  const DType dtypes[] = {kBool,     kInt8,    kUInt8,   kInt16,     kUInt16,
                          kInt32,    kUInt32,  kInt64,   kUInt64,    kFloat16,
                          kBFloat16, kFloat32, kFloat64, kComplex64, kComplex128};
  const Shape shapes[] = {{0, 3}, {1}, {5}, {4096}, {4097}, {17, 1003}, {3, 5, 700}, {70001}};
  uint32_t seed = 1;
  for (const DType dtype : dtypes) {
    for (const Shape& shape : shapes) {
      const Shape last{shape[shape.rank() - 1]};
      Shape first = shape;
      first.set(shape.rank() - 1, 1);
      const std::vector<Tensor> inputs{numbers(dtype, shape, 1), numbers(dtype, last, 2),
                                       numbers(dtype, first, 3), numbers(dtype, {}, 4)};
      for (int round = 0; round < 2; ++round, ++seed) {
        const Body body = [&](std::span<const Tensor> in) { return random_ops(in, dtype, seed); };
        SCOPED_TRACE(cat(dtype, shape, " seed ", seed));
        expect_same(body, inputs);
      }
    }
  }
}

TEST(Fusion, SumsOfAllElementsTakeInTiles) {
  using enum DType;
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor z = in[0] * in[1] + in[0];
    return {reduce_sum(z), reduce_max(z, {0}), reduce_mean(z - in[1], {0}, true)};
  };
  for (const DType dtype : {kInt8, kInt64, kFloat16, kBFloat16, kFloat32, kFloat64}) {
    for (const int64_t n : {4097, 70001, 131071, 131072, 600001, 2000003}) {
      SCOPED_TRACE(cat(dtype, " ", n));
      const MemoryPlan plan = expect_same(body, {numbers(dtype, {n}, 1), numbers(dtype, {n}, 2)});
      EXPECT_EQ(plan.instructions,
                (std::vector<std::string>{"Fused(Mul, AddV2, Sum, Max, Sub, Mean)"}));
    }
  }
}

TEST(Fusion, WhatNeedsASumComesAfterAllTiles) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor z = exp(in[0] - reduce_max(in[0] * 2));
    return {z / reduce_sum(z), square(z) * reduce_min(z)};
  };
  for (const int64_t n : {5000, 200000}) {
    const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, {n}, 1)});
    EXPECT_EQ(plan.instructions.size(), 4u);
  }
}

TEST(Fusion, ManyOpsAreSplit) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    Tensor x = in[0];
    for (int i = 0; i < 200; ++i) x = x * 0.99 + 0.01;
    return {x};
  };
  const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, {10000}, 1)});
  EXPECT_LT(plan.instructions.size(), 20u);
}

}  // namespace
}  // namespace penstock
