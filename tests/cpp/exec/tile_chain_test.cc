// Ops that run in one loop, in registers: the bits of the ops one by one, for every way in which an
// operand can be there (at hand, in a buffer, in memory, repeated), and for pieces of any length.
#include <limits>
#include <random>

#include <penstock/base/strings.h>
#include <penstock/ops/operators.h>

#include "support/functions.h"
#include "support/targets.h"

namespace penstock {
namespace {

using namespace testing_support;

// All kinds of numbers, zeros of both signs and infinities among them.
Tensor mixed(DType dtype, const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (double& value : values) {
    switch (random() % 40) {
      case 0:
        value = 0;
        break;
      case 1:
        value = -0.0;
        break;
      case 2:
        value = std::numeric_limits<double>::infinity();
        break;
      case 3:
        value = -std::numeric_limits<double>::infinity();
        break;
      default:
        value = static_cast<double>(random() % 20011) / 5000 - 2;
    }
  }
  return cast(Tensor::from<double>(values, shape), dtype);
}

// `steps` random functions of what was there before. NaN are kept out: which one comes out of two
// is not said.
std::vector<Tensor> random_formulas(std::span<const Tensor> in, uint32_t seed, int steps) {
  std::mt19937 random(seed);
  std::vector<Tensor> full{in[0]};
  std::vector<Tensor> all(in.begin(), in.end());
  for (int i = 0; i < steps; ++i) {
    const Tensor a = random() % 2 == 0 ? full.back() : full[random() % full.size()];
    const Tensor b = random() % 5 == 0 ? a : all[random() % all.size()];
    const bool is_swapped = random() % 2 == 0;
    const Tensor &x = is_swapped ? b : a, &y = is_swapped ? a : b;
    Tensor made;
    switch (random() % 18) {
      case 0:
        made = x + y;
        break;
      case 1:
        made = x - y;
        break;
      case 2:
        made = x * y;
        break;
      case 3:
        made = x / y;
        break;
      case 4:
        made = maximum(x, y);
        break;
      case 5:
        made = minimum(x, y);
        break;
      case 6:
        made = squared_difference(x, y);
        break;
      case 7:
        made = atan2(x, y);
        break;
      case 8:
        made = square(a);
        break;
      case 9:
        made = sqrt(abs(a));
        break;
      case 10:
        made = relu(-a);
        break;
      case 11:
        made = tanh(a);
        break;
      case 12:
        made = exp(minimum(a, Tensor::scalar(a.dtype(), 3.0)));
        break;
      case 13:
        made = reciprocal(a);
        break;
      case 14:
        made = sigmoid(a);
        break;
      case 15:
        made = rsqrt(abs(a));
        break;
      case 16:  // a function in the file of its op, and the next one too
        made = selu(a);
        break;
      case 17:
        made = x.shape() == y.shape() ? softplus_grad(x, y) : softplus(a);
        break;
    }
    made = select(is_nan(made), zeros_like(made), made);
    full.push_back(made);
    all.push_back(made);
  }
  return {full.back(), full[random() % full.size()], full[full.size() / 2]};
}

void expect_random_formulas() {
  // The first ones are too small for a strip: their loops are called at once.
  const Shape shapes[] = {{16},      {2, 9},    {64, 64},    {4097}, {33, 128},
                          {40, 130}, {9, 1000}, {3, 2, 777}, {50003}};
  uint32_t seed = 1;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const Shape& shape : shapes) {
      Shape first = shape;
      first.set(shape.rank() - 1, 1);
      const std::vector<Tensor> inputs{mixed(dtype, shape, 1), mixed(dtype, shape, 2),
                                       mixed(dtype, {shape[shape.rank() - 1]}, 3),
                                       mixed(dtype, first, 4), numbers(dtype, {}, 5)};
      for (int round = 0; round < 4; ++round, ++seed) {
        const int steps = 2 + static_cast<int>(seed * 7 % 23);
        SCOPED_TRACE(cat(dtype, shape, " seed ", seed));
        expect_same([&](std::span<const Tensor> in) { return random_formulas(in, seed, steps); },
                    inputs);
      }
    }
  }
}

TEST(TileChains, RandomFormulasGiveTheSameBitsOnEveryTarget) {
  on_every_target(expect_random_formulas);
}

// Without anything between that would end a strip.
TEST(TileChains, OneLoopForAll) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor a = in[0] * in[0] - in[1];
    const Tensor b = in[1] / (abs(a) + 1);
    const Tensor c = maximum(b, a) - in[2] * squared_difference(a, b);
    return {tanh(c) * c, reduce_sum(relu(c) + b)};
  };
  for (const int64_t n : {4097, 5000, 131072, 200001}) {
    const MemoryPlan plan =
        expect_same(body, {numbers(DType::kFloat32, {n}, 1), numbers(DType::kFloat32, {n}, 2),
                           numbers(DType::kFloat32, {1}, 3)});
    EXPECT_EQ(plan.instructions.size(), 1u);
  }
}

// Large results are written past the caches.
TEST(TileChains, LargeResults) {
  const Shape shape{4'500'001};
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    return {in[0] * 3 - in[1], in[1] * in[0] + 1};
  };
  const MemoryPlan plan =
      expect_same(body, {numbers(DType::kFloat32, shape, 1), numbers(DType::kFloat32, shape, 2)});
  EXPECT_EQ(plan.arena_bytes, 0);
}

}  // namespace
}  // namespace penstock
