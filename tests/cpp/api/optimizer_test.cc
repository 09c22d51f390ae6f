// Optimisers: each rule against its formula, sparse against dense, in place, errors.
#include <penstock/api/optimizer.h>
#include <penstock/memory/memory.h>
#include <penstock/ops/grad_helpers.h>

#include <cmath>

#include "support/testing.h"

namespace penstock {
namespace {

// Steps with the gradients 0.5, -1, 2 from the value 1.
double after_three_steps(Optimizer& optimizer) {
  const Variable v(Tensor{1.0}, {.name = "v"});
  for (double slope : {0.5, -1.0, 2.0}) {
    const Gradient gradient(Tensor{slope});
    optimizer.apply({&gradient, 1}, {&v, 1});
  }
  EXPECT_EQ(optimizer.iterations(), 3);
  return v.value().data<double>()[0];
}

TEST(Optimizer, Sgd) {
  Sgd plain({.learning_rate = 0.1});
  EXPECT_DOUBLE_EQ(after_three_steps(plain), 1 - 0.1 * 1.5);

  double value = 1, nesterov_value = 1, speed = 0;
  for (double g : {0.5, -1.0, 2.0}) {
    speed = 0.9 * speed + g;
    value -= 0.1 * speed;
    nesterov_value -= 0.1 * (g + 0.9 * speed);
  }
  Sgd momentum({.learning_rate = 0.1, .momentum = 0.9});
  EXPECT_NEAR(after_three_steps(momentum), value, 1e-12);
  Sgd nesterov({.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
  EXPECT_NEAR(after_three_steps(nesterov), nesterov_value, 1e-12);
}

TEST(Optimizer, AdamAndItsDecay) {
  for (const double decay : {0.0, 0.01}) {
    double value = 1, m = 0, v = 0;
    int t = 0;
    for (double g : {0.5, -1.0, 2.0}) {
      ++t;
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      value -= 0.1 * decay * value;
      const double rate = 0.1 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
      value -= rate * m / (std::sqrt(v) + 1e-7);
    }
    Adam adam({.learning_rate = 0.1, .weight_decay = decay});
    EXPECT_NEAR(after_three_steps(adam), value, 1e-9) << decay;
  }
}

TEST(Optimizer, Adagrad) {
  double value = 1, sum = 0.1;
  for (double g : {0.5, -1.0, 2.0}) {
    sum += g * g;
    value -= 0.1 * g / (std::sqrt(sum) + 1e-7);
  }
  Adagrad adagrad({.learning_rate = 0.1});
  EXPECT_NEAR(after_three_steps(adagrad), value, 1e-9);
}

TEST(Optimizer, RmsProp) {
  double value = 1, square = 0, speed = 0;
  for (double g : {0.5, -1.0, 2.0}) {
    square = 0.9 * square + 0.1 * g * g;
    speed = 0.5 * speed + 0.1 * g / std::sqrt(square + 1e-7);
    value -= speed;
  }
  RmsProp rms({.learning_rate = 0.1, .momentum = 0.5});
  EXPECT_NEAR(after_three_steps(rms), value, 1e-9);
}

TEST(Optimizer, Ftrl) {
  double value = 1, sum = 0.1, linear = 0;
  for (double g : {0.5, -1.0, 2.0}) {
    const double next = sum + g * g;
    linear += g - (std::sqrt(next) - std::sqrt(sum)) / 0.1 * value;
    sum = next;
    const double quadratic = std::sqrt(sum) / 0.1 + 2 * 0.2;
    value = std::abs(linear) > 0.3 ? (std::copysign(0.3, linear) - linear) / quadratic : 0;
  }
  Ftrl ftrl({.learning_rate = 0.1, .l1 = 0.3, .l2 = 0.2});
  EXPECT_NEAR(after_three_steps(ftrl), value, 1e-9);
}

std::vector<std::unique_ptr<Optimizer>> all_optimizers() {
  std::vector<std::unique_ptr<Optimizer>> all;
  all.push_back(std::make_unique<Sgd>(Sgd::Options{.learning_rate = 0.1}));
  all.push_back(std::make_unique<Sgd>(Sgd::Options{.learning_rate = 0.1, .momentum = 0.9}));
  all.push_back(std::make_unique<Adam>(Adam::Options{.learning_rate = 0.1}));
  all.push_back(std::make_unique<Adagrad>(Adagrad::Options{.learning_rate = 0.1}));
  all.push_back(std::make_unique<RmsProp>(RmsProp::Options{.learning_rate = 0.1}));
  all.push_back(std::make_unique<Ftrl>(Ftrl::Options{.learning_rate = 0.1}));
  return all;
}

// One step from 1 on the rows named, which repeat: those rows are as after a dense step with the
// sum, and the others are untouched.
TEST(Optimizer, SparseGradientsTouchOnlyTheirRows) {
  const Tensor rows = Tensor{2, 0, 2};
  const Tensor values = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto dense_ones = all_optimizers();
  size_t i = 0;
  for (const auto& sparse : all_optimizers()) {
    const Variable v(ones(DType::kFloat32, {4, 2}), {.name = "v"});
    const Variable w(ones(DType::kFloat32, {4, 2}), {.name = "w"});
    const Gradient slope = Gradient::sparse(values, rows, {4, 2});
    const Gradient dense = slope.dense();
    sparse->apply({&slope, 1}, {&v, 1});
    dense_ones[i]->apply({&dense, 1}, {&w, 1});
    const std::vector<float> found = v.value().to_vector<float>();
    const std::vector<float> wanted = w.value().to_vector<float>();
    for (size_t k : {0, 1, 4, 5}) EXPECT_NEAR(found[k], wanted[k], 1e-6) << i << " at " << k;
    for (size_t k : {2, 3, 6, 7}) EXPECT_EQ(found[k], 1.f) << i << " at " << k;
    ++i;
  }
}

TEST(Optimizer, AStepAllocatesNothingThatStays) {
  for (const auto& optimizer : all_optimizers()) {
    const Variable v(ones(DType::kFloat32, {1000}), {.name = "v"});
    const Gradient slope(ones(DType::kFloat32, {1000}));
    optimizer->apply({&slope, 1}, {&v, 1});  // makes the slots
    const void* place = v.value().raw();
    const int64_t held = memory::info().current;
    memory::reset_peak();
    optimizer->apply({&slope, 1}, {&v, 1});
    EXPECT_EQ(memory::info().current, held);
    EXPECT_LT(memory::info().peak - held, 100) << "a step needs its scalars and nothing else";
    EXPECT_EQ(v.value().raw(), place);
  }
}

TEST(Optimizer, RefusesWhatDoesNotFitBeforeAnythingChanges) {
  Sgd sgd({.learning_rate = 1});
  const Variable variables[] = {Variable(Tensor{1.f}), Variable(Tensor{1.f, 2.f}, {.name = "b"})};
  const Gradient one[] = {Gradient(Tensor{1.f})};
  EXPECT_ERROR(InvalidArgumentError, "1 gradients for 2 variables", sgd.apply(one, variables));
  const Gradient wrong[] = {Gradient(Tensor{1.f}), Gradient(Tensor{1.f})};
  EXPECT_ERROR(InvalidArgumentError, "variable 'b' has shape [2], but its gradient has [1]",
               sgd.apply(wrong, variables));
  const Gradient other[] = {Gradient(Tensor{1.f}), Gradient(Tensor{1.0, 2.0})};
  EXPECT_ERROR(TypeError, "is float32, but its gradient is float64", sgd.apply(other, variables));
  EXPECT_EQ(variables[0].value().data<float>()[0], 1.f);
  const Gradient missing[] = {Gradient(), Gradient(Tensor{1.f, 1.f})};
  sgd.apply(missing, variables);
  EXPECT_EQ(variables[0].value().data<float>()[0], 1.f);
  EXPECT_EQ(variables[1].value().data<float>()[1], 1.f);
}

}  // namespace
}  // namespace penstock
