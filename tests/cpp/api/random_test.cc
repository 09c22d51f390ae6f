// Random tensors: TensorFlow's numbers for TensorFlow's seeds.
#include <penstock/api/random.h>
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
// two are 1892932127 and 501869158; for 2**40 + 1 it is a key of two words.
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
  EXPECT_EQ(random::uniform({3}).to_vector<float>(), direct(large, 754872011));
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

TEST(Random, ASeedOfItsOwnStandsAlone) {
  random::set_seed(5);
  const std::vector<float> a = random::normal({4}, {.seed = 9}).to_vector<float>();
  random::normal({4});
  EXPECT_EQ(random::normal({4}, {.seed = 9}).to_vector<float>(), a);
}

}  // namespace
}  // namespace penstock
