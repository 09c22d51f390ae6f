// Random tensors: TensorFlow's numbers for TensorFlow's seeds.
#include <penstock/api/random.h>
#include <penstock/autodiff/tape.h>
#include <penstock/ops/grad_helpers.h>

#include <cmath>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(Random, ASeedRepeatsTheSequence) {
  random::set_seed(42);
  const std::vector<float> a = random::normal({5}).to_vector<float>();
  const std::vector<float> b = random::normal({5}).to_vector<float>();
  random::set_seed(42);
  EXPECT_EQ(random::normal({5}).to_vector<float>(), a);
  EXPECT_EQ(random::normal({5}).to_vector<float>(), b);
  EXPECT_NE(a, b);
}

// The op seeds are draws of Python's random.Random(seed).randint(0, 2**31 - 1): for 1234 the first
// two are 1892932127 and 501869158; for 2**40 + 1 it is 754872011, and the key is the rest after
// division by 2**31 - 1.
TEST(Random, TakesItsOpSeedsFromPythonsSequence) {
  random::set_seed(1234);
  const std::vector<float> first = random::uniform({3}).to_vector<float>();
  const std::vector<float> second = random::uniform({3}).to_vector<float>();
  const auto direct = [](int64_t seed, int64_t op_seed) {
    return random_uniform(shape_tensor(Shape{3}), DType::kFloat32, seed, op_seed)
        .to_vector<float>();
  };
  EXPECT_EQ(first, direct(1234, 1892932127));
  EXPECT_EQ(second, direct(1234, 501869158));
  const int64_t large = (int64_t{1} << 40) + 1;
  random::set_seed(static_cast<uint64_t>(large));
  EXPECT_EQ(random::uniform({3}).to_vector<float>(), direct(513, 754872011));
}

TEST(Random, MomentsAndBounds) {
  random::set_seed(3);
  const Tensor x = random::normal({100000}, {.mean = 2, .stddev = 3});
  const double mean = reduce_mean(x).item<float>();
  const double variance = reduce_mean(square(x - 2)).item<float>();
  EXPECT_NEAR(mean, 2, 0.05);
  EXPECT_NEAR(variance, 9, 0.2);
  const Tensor u = random::uniform({100000}, {.low = -1, .high = 3});
  EXPECT_GE(reduce_min(u).item<float>(), -1.f);
  EXPECT_LT(reduce_max(u).item<float>(), 3.f);
  EXPECT_NEAR(reduce_mean(u).item<float>(), 1, 0.02);
}

TEST(Random, ASeedOfItsOwnStandsApart) {
  random::set_seed(5);
  const std::vector<float> a = random::normal({4}, {.seed = 9}).to_vector<float>();
  random::set_seed(5);
  random::normal({4});
  EXPECT_EQ(random::normal({4}, {.seed = 9}).to_vector<float>(), a);
  random::set_seed(5);
}

void expect_near(const Tensor& found, std::initializer_list<double> wanted) {
  ASSERT_EQ(found.num_elements(), static_cast<int64_t>(wanted.size()));
  int64_t i = 0;
  for (double value : wanted)
    EXPECT_NEAR(found.number_at(i++), value, 2e-7 * (1 + std::abs(value)));
}

// Calls with the same seed go on in their stream: TensorFlow's numbers after set_seed(5).
TEST(Random, CallsWithTheSameSeedGoOn) {
  random::set_seed(5);
  expect_near(random::normal({3}, {.seed = 9}), {0.535278976, 0.1320365965, -1.8791081905});
  expect_near(random::normal({3}, {.seed = 9}), {-1.3020113707, 0.4232010543, 0.6228554845});
  expect_near(random::uniform({3}, {.seed = 9}), {0.8590066433, 0.2115098238, 0.1701811552});
  expect_near(random::uniform({3}, {.seed = 9}), {0.3917362690, 0.8000167608, 0.4338089228});
  random::truncated_normal({3}, {.seed = 9});
  expect_near(random::truncated_normal({3}, {.seed = 9}),
              {-1.3020113707, 0.4232010543, 0.6228554845});
  const random::DrawOptions int32{.dtype = DType::kInt32, .seed = 9}, int64{.seed = 9};
  expect_near(random::uniform_int({5}, -5, 1000, int32), {972, 278, 745, 789, 776});
  expect_near(random::uniform_int({5}, -5, 1000, int32), {656, 723, 109, 158, 414});
  random::uniform_int({3}, -5, 1000, int64);
  expect_near(random::uniform_int({3}, -5, 1000, int64), {686, 666, 463});
  const Tensor alpha{0.5f, 2.0f};
  random::gamma({2}, alpha, {.seed = 9});
  expect_near(random::gamma({2}, alpha, {.seed = 9}),
              {0.5385749936, 1.9608216286, 0.9991894364, 1.5587735176});
  const Tensor rate{2.0f, 30.0f};
  expect_near(random::poisson({3}, rate, int64), {2, 29, 1, 26, 1, 42});
  expect_near(random::poisson({3}, rate, int64), {1, 37, 2, 26, 2, 25});
  const Tensor logits = Tensor::from({0.f, 1.f, 2.f, 2.f, 1.f, 0.f}, {2, 3});
  expect_near(random::categorical(logits, 5, int64), {2, 2, 2, 0, 2, 1, 1, 0, 0, 0});
  expect_near(random::categorical(logits, 5, int64), {2, 1, 2, 1, 2, 0, 2, 0, 1, 1});
  const Tensor nine = range(Tensor(0), Tensor(9), Tensor(1));
  expect_near(random::shuffle(nine, 9), {8, 2, 7, 0, 5, 1, 6, 4, 3});
  expect_near(random::shuffle(nine, 9), {3, 2, 6, 7, 8, 4, 0, 1, 5});
  random::set_seed(0);
  expect_near(random::uniform({3}, {.seed = 0}), {0.0197570324, 0.0070421696, 0.1898721457});
  random::set_seed(0);  // forgets the streams, and with them their memory
}

TEST(Random, FunctionsOfASeedPair) {
  expect_near(random::stateless_normal({3}, {1, 2}, {.mean = 1, .stddev = 2}),
              {2.0882201195, 1.4147605896, 1.1471285820});
  expect_near(random::stateless_uniform_int({3}, {1, 2}, -3, 40, {.dtype = DType::kInt32}),
              {15, 27, 10});
  expect_near(random::stateless_shuffle(range(Tensor(0), Tensor(6), Tensor(1)), {1, 2}),
              {4, 5, 0, 3, 1, 2});
  EXPECT_ERROR(InvalidArgumentError, "own seed",
               random::stateless_normal({3}, {1, 2}, {.seed = 3}));
}

// TensorFlow's numbers for tf.random.Generator.from_seed(1234), and its states between them.
TEST(Random, AGeneratorCarriesItsStream) {
  const auto g = random::Generator::from_seed(1234);
  expect_near(g.normal({3}), {0.9356609, 1.0854305, -0.93788373});
  expect_near(g.state().value(), {2002, 0, 0});
  expect_near(g.uniform({3}), {0.31073415, 0.3681823, 0.96182954});
  expect_near(g.uniform_int({3}, 0, 10, {.dtype = DType::kInt32}), {4, 9, 1});
  EXPECT_EQ(
      g.uniform_full_int({3}).to_vector<uint64_t>(),
      (std::vector<uint64_t>{14789844842584512396u, 7910833019651599265u, 8981873782301624389u}));
  expect_near(g.truncated_normal({3}), {-0.47656408, -1.604162, 1.856634});
  expect_near(g.binomial({3}, Tensor(10.f), Tensor(0.5f)), {5, 6, 8});
  expect_near(g.binomial({2, 3}, Tensor{10.f, 20.f, 5.f}, Tensor{0.5f, 0.5f, 0.2f}),
              {5, 7, 2, 4, 12, 3});
  expect_near(g.state().value(), {273874, 0, 0});
  EXPECT_EQ(g.make_seeds(2).to_vector<int64_t>(),
            (std::vector<int64_t>{8897256610011890676, -7071226228143401365, 0, 0}));
  const std::vector<random::Generator> parts = g.split(2);
  EXPECT_EQ(parts[1].state().value().to_vector<int64_t>(),
            (std::vector<int64_t>{0, 0, -8604186586776047643}));
  g.skip(5);
  expect_near(g.state().value(), {276178, 0, 0});
}

TEST(Random, AGeneratorsStateCanBeSetBack) {
  const auto g = random::Generator::from_state(Tensor{int64_t{-1}, int64_t{7}, int64_t{3}});
  const std::vector<float> first = g.normal({6}).to_vector<float>();
  EXPECT_EQ(g.state().value().to_vector<int64_t>(), (std::vector<int64_t>{1535, 8, 3}));
  g.state().value();
  Variable state = g.state();
  state.assign(Tensor{int64_t{-1}, int64_t{7}, int64_t{3}});
  EXPECT_EQ(g.normal({6}).to_vector<float>(), first);
  EXPECT_ERROR(TypeError, "int64", random::Generator::from_state(Tensor{1, 2, 3}));
  EXPECT_ERROR(InvalidArgumentError, "[3]",
               random::Generator::from_state(Tensor{int64_t{1}, int64_t{2}}));
}

// The derived gradient check cannot see it: finite differences of draws jump.
TEST(Random, GammaNumbersHaveAGradient) {
  for (DType dtype : {DType::kFloat32, DType::kFloat16}) {
    const Tensor alpha = cast(Tensor{0.5f, 3.0f}, dtype);
    Tape tape;
    tape.watch(alpha);
    const Tensor draws = random_gamma(shape_tensor(Shape{4}), alpha, 1, 2);
    const Tensor slope = tape.gradient(reduce_sum(draws), alpha);
    const Tensor each =
        random_gamma_grad(cast(alpha, DType::kFloat32), cast(draws, DType::kFloat32));
    const Tensor wanted = reduce_sum(each, {0});
    for (int64_t i = 0; i < 2; ++i)
      EXPECT_NEAR(slope.number_at(i), wanted.number_at(i), dtype == DType::kFloat32 ? 1e-5 : 1e-2);
  }
}

// Draws of many numbers, against their distributions' moments.
TEST(Random, MomentsOfDraws) {
  random::set_seed(11);
  const auto moments = [](const Tensor& x) {
    const Tensor wide = cast(x, DType::kFloat64);
    const double mean = reduce_mean(wide).item<double>();
    return std::pair(mean, reduce_mean(square(wide - mean)).item<double>());
  };
  for (double alpha : {0.3, 1.0, 4.0}) {
    const auto [mean, variance] = moments(random::gamma({50000}, Tensor(alpha)));
    EXPECT_NEAR(mean, alpha, 0.02 * alpha + 0.01);
    EXPECT_NEAR(variance, alpha, 0.05 * alpha);
  }
  for (double rate : {0.7, 9.0, 60.0}) {
    const auto [mean, variance] = moments(random::poisson({50000}, Tensor(rate)));
    EXPECT_NEAR(mean, rate, 0.02 * rate);
    EXPECT_NEAR(variance, rate, 0.04 * rate);
  }
  const auto g = random::Generator::from_seed(3);
  for (double p : {0.02, 0.4, 0.9}) {
    const auto [mean, variance] = moments(g.binomial({50000}, Tensor(80.0), Tensor(p)));
    EXPECT_NEAR(mean, 80 * p, 0.8 * p);
    EXPECT_NEAR(variance, 80 * p * (1 - p), 4 * p * (1 - p));
  }
  const auto [mean, variance] = moments(random::truncated_normal({50000}));
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_NEAR(variance, 0.7737, 0.02);
}

}  // namespace
}  // namespace penstock
