// Ops on single elements run together: the bits and the errors of the ops one by one, and nobody
// waits or holds more for it.
#include <limits>
#include <random>
#include <string>

#include <penstock/base/strings.h>
#include <penstock/exec/control.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/trace.h>
#include <penstock/ops/operators.h>

#include "support/functions.h"
#include "support/targets.h"

namespace penstock {
namespace {

using namespace testing_support;

// A number of the dtype, often one at its limits. No NaN: which of two comes out is not said.
Tensor any_number(DType dtype, const Shape& shape, std::mt19937& random) {
  const double large[] = {0, 1, -1, 2147483647, -2147483648.0, 9e18, -9e18, 1e-40, 0.1};
  const double value =
      random() % 2 == 0 ? large[random() % 9] : static_cast<double>(random() % 2001) / 10 - 100;
  return cast(Tensor::from<double>(std::vector<double>{value}, shape), dtype);
}

// NaN becomes 0, whichever op made it.
Tensor settled(const Tensor& x) {
  return kFloatTypes.has(x.dtype()) ? select(is_nan(x), zeros_like(x), x) : x;
}

Tensor random_number(const Tensor& x, const Tensor& y, uint32_t which) {
  const bool is_whole = kIntTypes.has(x.dtype());
  const Tensor not_zero = select(equal(y, zeros_like(y)), ones_like(y), y);
  switch (which % (is_whole ? 16 : 26)) {
    case 0:
      return x + y;
    case 1:
      return x - y;
    case 2:
      return x * y;
    case 3:
      return maximum(x, y);
    case 4:
      return minimum(x, y);
    case 5:
      return -x;
    case 6:
      return abs(x);
    case 7:
      return square(x);
    case 8:
      return sign(x);
    case 9:
      return squared_difference(x, y);
    case 10:
      return floordiv(x, not_zero);
    case 11:
      return floormod(x, not_zero);
    case 12:
      return truncatediv(x, not_zero);
    case 13:
      return truncatemod(x, not_zero);
    case 14:
      return clip_by_value(x, minimum(x, y), y);
    case 15:
      return relu_grad(x, y);
    case 16:
      return x / y;
    case 17:
      return div_no_nan(x, y);
    case 18:
      return sqrt(abs(x));
    case 19:
      return rsqrt(abs(x));
    case 20:
      return floor(x) + ceil(y) - round(x);
    case 21:
      return tanh_grad(x, y);
    case 22:
      return tanh(x) + exp(-abs(y));
    case 23:
      return pow(abs(x), Tensor::scalar(x.dtype(), 2));
    case 24:
      return pow(abs(x), sigmoid(y));
    default:
      return reciprocal(x);
  }
}

Tensor random_condition(const Tensor& x, const Tensor& y, const Tensor& condition, uint32_t which) {
  switch (which % 9) {
    case 0:
      return less(x, y);
    case 1:
      return less_equal(x, y);
    case 2:
      return greater(x, y);
    case 3:
      return greater_equal(x, y);
    case 4:
      return equal(x, y);
    case 5:
      return logical_and(not_equal(x, y), condition);
    case 6:
      return logical_or(less(x, y), condition);
    case 7:
      return logical_not(condition);
    default:
      return not_equal(condition, less(x, y));
  }
}

std::vector<Tensor> random_scalars(std::span<const Tensor> in, uint32_t seed, int steps) {
  const DType dtypes[] = {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64};
  std::mt19937 random(seed);
  std::vector<Tensor> numbers[4];
  for (size_t i = 0; i < in.size(); ++i) numbers[i % 4].push_back(in[i]);
  Tensor condition = less(in[0], in[4]);
  for (int i = 0; i < steps; ++i) {
    const size_t kind = random() % 4;
    std::vector<Tensor>& made = numbers[kind];
    const Tensor &x = made.back(), &y = made[random() % made.size()];
    switch (random() % 5) {
      case 0:
        condition = random_condition(x, y, condition, random());
        break;
      case 1:
        made.push_back(select(condition, x, y));
        break;
      case 2:
        made.push_back(
            cast(random() % 4 == 0 ? condition : numbers[random() % 4].back(), dtypes[kind]));
        break;
      default:
        made.push_back(settled(random_number(x, y, random())));
    }
  }
  std::vector<Tensor> out{condition};
  for (const std::vector<Tensor>& made : numbers) {
    out.push_back(made.back());
    out.push_back(made[made.size() / 2]);
  }
  return out;
}

void expect_random_scalars() {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<Tensor> inputs;
    for (int i = 0; i < 8; ++i) {
      const DType dtypes[] = {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64};
      const Shape shape = seed % 3 == 0 ? Shape{1} : Shape{};
      inputs.push_back(any_number(dtypes[i % 4], shape, random));
    }
    SCOPED_TRACE(cat("seed ", seed));
    const int steps = seed % 20 == 0 ? 400 : static_cast<int>(seed * 7 % 43) + 2;
    expect_same([&](std::span<const Tensor> in) { return random_scalars(in, seed, steps); },
                inputs);
  }
}

TEST(Scalars, RandomFormulasGiveTheSameBitsOnEveryTarget) {
  on_every_target(expect_random_scalars);
}

TEST(Scalars, ACounterAndItsConditionAreOneInstructionWithoutMemory) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor next = in[0] + 1;
    const Tensor rate = cast(next, DType::kFloat32) * 0.5 + in[1];
    return {next, select(less(next, in[2]), rate, in[1])};
  };
  const MemoryPlan plan = expect_same(body, {Tensor(int64_t{7}), Tensor(0.5f), Tensor(int64_t{8})});
  EXPECT_EQ(plan.instructions.size(), 1u);
  EXPECT_EQ(plan.arena_bytes, 0);
}

TEST(Scalars, AllDtypesOfEightBytesAndLess) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kNumberTypes.has(dtype)) continue;
    SCOPED_TRACE(dtype_name(dtype));
    const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
      const Tensor z = in[0] * in[1] + in[0];
      return {z, cast(equal(z, in[1]), DType::kInt32), cast(z, DType::kFloat64)};
    };
    expect_same(body, {Tensor::scalar(dtype, 3), Tensor::scalar(dtype, 5)});
  }
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scalars, ErrorsNameTheOpAndWriteNothing) {
  const auto expect_error = [](const Body& body, const std::vector<Tensor>& inputs,
                               const std::string& text) {
    const Function function = traced(body, inputs);
    EXPECT_EQ(error_of([&] { body(inputs); }), text);
    EXPECT_EQ(error_of([&] { function(std::span<const Tensor>(inputs)); }), text);
  };
  using Op = Tensor (*)(const Tensor&, const Tensor&);
  const auto with = [](Op op) -> Body {
    return [op](std::span<const Tensor> in) -> std::vector<Tensor> {
      return {op(in[0] + 1, in[1] - 2) * 3};
    };
  };
  const std::vector<Tensor> zero{Tensor(int32_t{7}), Tensor(int32_t{2})};
  const std::vector<Tensor> negative{Tensor(int64_t{7}), Tensor(int64_t{1})};
  const std::string by_zero = "Integer division by zero";
  expect_error(with([](auto& x, auto& y) { return floordiv(x, y); }), zero,
               "[FloorDiv] " + by_zero);
  expect_error(with([](auto& x, auto& y) { return floormod(x, y); }), zero,
               "[FloorMod] " + by_zero);
  expect_error(with([](auto& x, auto& y) { return truncatediv(x, y); }), zero,
               "[TruncateDiv] " + by_zero);
  expect_error(with([](auto& x, auto& y) { return truncatemod(x, y); }), zero,
               "[TruncateMod] " + by_zero);
  expect_error(with([](auto& x, auto& y) { return pow(x, y); }), negative,
               "[Pow] Integers to negative integer powers are not allowed");

  Variable steps(Tensor(int32_t{5}));
  Trace trace("steps");
  const Tensor divisor = trace.input(DType::kInt32, {});
  const Tensor next = floordiv(steps.value() * 10, divisor);
  steps.assign(next + 1);
  const Function function = trace.finish({next});
  EXPECT_THROW(function({Tensor(int32_t{0})}), InvalidArgumentError);
  EXPECT_EQ(steps.value().to_vector<int32_t>(), std::vector<int32_t>{5});
  EXPECT_EQ(function({Tensor(int32_t{2})})[0].to_vector<int32_t>(), std::vector<int32_t>{25});
  EXPECT_EQ(steps.value().to_vector<int32_t>(), std::vector<int32_t>{26});
}

// The state is read and written in place: what a step makes of it must not get in its own way.
TEST(Scalars, StatesOfLoops) {
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensors last = while_loop(
        [&](auto s) { return logical_and(less(s[0], in[0]), less(s[1], Tensor(1e30f))); },
        [](auto s) -> Tensors {
          const Tensor next = s[0] + 1;
          const Tensor sum = s[1] + s[2] * cast(s[0], DType::kFloat32);
          return {next, s[2], sum, select(equal(floormod(next, Tensor(3)), Tensor(0)), s[1], s[3])};
        },
        std::vector<Tensor>{Tensor(0), in[1], in[1] * 2, in[1]});
    return {last.begin(), last.end()};
  };
  for (int steps : {0, 1, 2, 17, 100}) expect_same(body, {Tensor(steps), Tensor(0.25f)});

  const Body divide = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensors last =
        while_loop([](auto s) { return less(s[0], Tensor(10)); },
                   [&](auto s) -> Tensors { return {s[0] + 1, floordiv(s[1], in[0] - s[0])}; },
                   std::vector<Tensor>{Tensor(0), Tensor(1000)});
    return {last[1]};
  };
  const std::vector<Tensor> five{Tensor(5)};
  const Function function = traced(divide, five);
  EXPECT_EQ(error_of([&] { function(std::span<const Tensor>(five)); }),
            "[FloorDiv] Integer division by zero");
}

// Each scale waits for its own tensor's norm only: a tensor is gone before the next one is made.
TEST(Scalars, OpsThatWaitForDifferentStepsStayApart) {
  const Shape shape{120, 120};
  const Body body = [](std::span<const Tensor> in) -> std::vector<Tensor> {
    const Tensor rate = in[1] * 0.5 + 1;
    Tensor total = in[1];
    for (int i = 0; i < 12; ++i) {
      const Tensor made = matmul(in[0], in[0] + static_cast<float>(i));
      const Tensor scale = rate / sqrt(reduce_sum(square(made)) + 1);
      total = total + reduce_max(made * scale);
    }
    return {total, rate};
  };
  const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, shape, 1), Tensor(0.5f)});
  EXPECT_LE(plan.arena_bytes, 4 * shape.num_bytes(4));
}

}  // namespace
}  // namespace penstock
