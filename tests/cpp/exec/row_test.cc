// Reductions of rows inside tiles: softmax, moments and the like are one instruction, to the bit
// what the ops give one by one.
#include <random>
#include <string>
#include <vector>

#include <penstock/base/strings.h>
#include <penstock/base/threads.h>
#include <penstock/ops/operators.h>

#include "exec/compile/fusion/tiles.h"
#include "support/functions.h"

namespace penstock {
namespace {

using namespace testing_support;

std::vector<Tensor> softmax_of(std::span<const Tensor> in) {
  const Tensor e = exp(in[0] - reduce_max(in[0], {-1}, true));
  return {e / reduce_sum(e, {-1}, true)};
}

std::vector<Tensor> layer_norm_of(std::span<const Tensor> in) {
  const Tensor mean = reduce_mean(in[0], {-1}, true);
  const Tensor variance = reduce_mean(squared_difference(in[0], mean), {-1}, true);
  const Tensor scale = rsqrt(variance + Tensor::scalar(in[0].dtype(), 1e-3));
  return {(in[0] - mean) * scale * in[1] + in[2]};
}

std::vector<Tensor> log_softmax_of(std::span<const Tensor> in) {
  const Tensor x = in[0] - reduce_max(in[0], {-1}, true);
  return {x - log(reduce_sum(exp(x), {-1}, true))};
}

void expect_one_instruction(const Body& body, const std::vector<Tensor>& inputs) {
  const MemoryPlan plan = expect_same(body, inputs);
  EXPECT_EQ(plan.instructions.size(), 1u);
  const int64_t tile = std::max(exec::kTileElements, inputs[0].dim(-1)) * 8;
  EXPECT_LE(plan.arena_bytes, 6 * tile * max_threads());
}

TEST(Rows, PatternsAreOneInstruction) {
  for (const DType dtype : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    for (const int64_t columns : {2, 10, 100, 128, 1000, 1003, 4096, 8192}) {
      const Shape shape{8200 / columns + 20, columns};
      SCOPED_TRACE(cat(dtype, shape));
      const Tensor x = numbers(dtype, shape, 1) - Tensor::scalar(dtype, 3);
      const std::vector<Tensor> inputs{x, numbers(dtype, {columns}, 2),
                                       numbers(dtype, {columns}, 3)};
      expect_one_instruction(softmax_of, {x});
      expect_one_instruction(log_softmax_of, {x});
      expect_one_instruction(layer_norm_of, inputs);
    }
  }
}

TEST(Rows, OfSeveralAxes) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor mean = reduce_mean(in[0] * 2, {1, -1}, true);
    return {in[0] - mean, mean, reduce_max(square(in[0] - mean), {1, 2})};
  };
  const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, {70, 9, 33}, 1)});
  EXPECT_EQ(plan.instructions.size(), 1u);
}

// A column whose elements go along the rows is needed as a whole.
TEST(Rows, AColumnThatIsUsedAsARow) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor sums = reduce_sum(in[0] + 1, {-1});
    return {in[0] - sums, sums * 2 + 1};
  };
  expect_same(body, {numbers(DType::kFloat32, {100, 100}, 1)});
}

TEST(Rows, FewLongRowsAreReducedInParts) {
  for (const int64_t rows : {2, 16, 17}) {
    expect_same(softmax_of, {numbers(DType::kFloat32, {rows, 8192}, 1)});
    expect_same(softmax_of, {numbers(DType::kFloat32, {rows, 20000}, 1)});
  }
}

TEST(Rows, MeetOtherReductionsAndProducts) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor p = softmax_of(in)[0];
    const Tensor entropy = reduce_sum(p * log(p + 1), {-1});
    return {reduce_mean(entropy), matmul(p, in[0], true), reduce_sum(p * in[0], {0}), reduce_sum(p),
            sqrt(entropy + reduce_max(in[0], {1}))};
  };
  for (const int64_t rows : {50, 5000})
    expect_same(body, {numbers(DType::kFloat32, {rows, 110}, 1)});
}

// Random chains of elements and columns.
TEST(Rows, RandomExpressionsGiveTheSameBits) {
  const Shape shapes[] = {{300, 20}, {41, 130}, {64, 64, 3}, {9000, 2}};
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    const Shape& shape = shapes[seed % 4];
    const Body body = [&](std::span<const Tensor> in) -> std::vector<Tensor> {
      std::mt19937 random(seed);
      std::vector<Tensor> full{in[0]}, columns{in[1]};
      for (int i = 0; i < 12; ++i) {
        const Tensor &x = full[random() % full.size()], &c = columns[random() % columns.size()];
        switch (random() % 6) {
          case 0:
            full.push_back(tanh(x) - c);
            break;
          case 1:
            full.push_back(c * x + full[0]);
            break;
          case 2:
            columns.push_back(reduce_mean(x, {-1}, true));
            break;
          case 3:
            columns.push_back(reduce_max(x * 0.5, {-1}, true) + c);
            break;
          case 4:
            columns.push_back(maximum(square(c), Tensor(0.25f)) - columns[0]);
            break;
          case 5:
            full.push_back(relu(x) + sigmoid(c));
            break;
        }
      }
      return {full.back(), columns.back(), full[full.size() / 2], reduce_sum(columns.back())};
    };
    Shape column = shape;
    column.set(shape.rank() - 1, 1);
    SCOPED_TRACE(cat(shape, " seed ", seed));
    expect_same(body, {numbers(DType::kFloat32, shape, 1), numbers(DType::kFloat32, column, 2)});
  }
}

}  // namespace
}  // namespace penstock
