// Random, Weighted and DirectedInterleave: TensorFlow's numbers for the same seeds.
#include <gtest/gtest.h>

#include "data/pipelines.h"
#include "support/testing.h"

namespace penstock::data {
namespace {

constexpr int64_t kSeed = 87654321;

Dataset listed(std::initializer_list<int64_t> numbers) {
  const Tensor rows(numbers);
  return Dataset::from_tensor_slices({&rows, 1});
}

TEST(Choice, RandomNumbers) {
  const Dataset ds = Dataset::random(kSeed, 3, true);
  EXPECT_EQ(ds.cardinality(), kInfinite);
  EXPECT_EQ(read(ds, 3), (Numbers{2698304964, 3230936430, 2996270112}));
  EXPECT_EQ(read(ds, 3), (Numbers{1595858328, 3580113443, 3407580170}));
  const Dataset same = Dataset::random(kSeed, 3);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(read(same, 3), (Numbers{3534849767, 279844183, 888998500}));
}

TEST(Choice, Sampled) {
  const Dataset three[] = {Dataset::range(4), Dataset::range(10, 16, 1), Dataset::range(20, 23, 1)};
  const Dataset ds = Dataset::sample(three, Tensor{0.5, 0.3, 0.2}, kSeed, 5);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(read(ds), (Numbers{0, 1, 2, 20, 21, 3, 10, 11, 12, 13, 14, 15, 22}));
  const Dataset two[] = {three[0], three[1]};
  const Dataset stopped = Dataset::sample(two, Tensor{0.5, 0.5}, kSeed, 5, true, true);
  EXPECT_EQ(read(stopped), (Numbers{0, 10, 11, 1, 2, 3, 12, 13}));
  EXPECT_EQ(read(stopped), (Numbers{10, 11, 0, 1, 12, 13, 14, 2, 3}));
  EXPECT_EQ(read(stopped), (Numbers{0, 1, 10, 11, 12, 2, 3, 13, 14, 15}));
}

TEST(Choice, SampledByWeightsThatChange) {
  const Tensor weights =
      Tensor::from<float>({1, 0, 0, 1, .5, .5, .5, .5, .25, .75, .9F, .1F}, Shape{6, 2});
  const Dataset choices =
      Dataset::make("WeightedBy", {.inputs = {Dataset::from_tensor_slices({&weights, 1})},
                                   .operands = {Tensor(kSeed), Tensor(int64_t{9})}});
  const Dataset two[] = {Dataset::range(4), Dataset::range(10, 16, 1)};
  EXPECT_EQ(read(Dataset::choose(choices, two)), (Numbers{0, 10, 11, 12, 13, 1}));
}

TEST(Choice, ADatasetOfWeightZeroDoesNotKeepItGoing) {
  const Dataset two[] = {Dataset::range(3), Dataset::range(5)};
  EXPECT_EQ(read(Dataset::sample(two, Tensor{1.0, 0.0}, kSeed, 5)), (Numbers{0, 1, 2}));
}

TEST(Choice, Chosen) {
  const Dataset two[] = {Dataset::range(2), Dataset::range(10, 14, 1)};
  const Dataset choices = listed({1, 0, 0, 0, 1, 1});
  EXPECT_EQ(read(Dataset::choose(choices, two)), (Numbers{10, 0, 1}));
  EXPECT_EQ(read(Dataset::choose(choices, two, false)), (Numbers{10, 0, 1, 11, 12}));
  Iterator wrong(Dataset::choose(listed({0, 2, -1, 1}), two));
  EXPECT_EQ(read(wrong, 1), (Numbers{0}));
  EXPECT_ERROR(InvalidArgumentError, "Selector index out of range: 2 >= 2", read(wrong, 1));
  EXPECT_ERROR(InvalidArgumentError, "Selector index out of range: -1 >= 2", read(wrong, 1));
  EXPECT_EQ(read(wrong), (Numbers{10}));
}

TEST(Choice, SpecsAreMerged) {
  const Dataset two[] = {vectors(2, 3), vectors(2, 4)};
  EXPECT_EQ(to_string(Dataset::choose(listed({0, 1}), two).spec()), "(int64[?])");
  const Dataset mixed[] = {vectors(2, 3), texts(2)};
  EXPECT_ERROR(TypeError, "compatible", Dataset::choose(listed({0, 1}), mixed));
  EXPECT_ERROR(InvalidArgumentError, "int64 scalars", Dataset::choose(texts(2), two));
}

TEST(Choice, IsRestoredAtEveryPosition) {
  const Dataset three[] = {Dataset::range(4), Dataset::range(10, 16, 1), Dataset::range(20, 23, 1)};
  for (const Dataset& ds :
       {Dataset::sample(three, Tensor{0.5, 0.3, 0.2}, kSeed, 5, false, true),
        Dataset::random(kSeed, 3, true).take(9), Dataset::choose(listed({2, 0, 0, 1}), three)}) {
    Iterator whole(ds);
    std::vector<std::string> states = {whole.save()};
    Numbers all;
    for (Numbers one; !(one = read(whole, 1)).empty();) {
      all.push_back(one[0]);
      states.push_back(whole.save());
    }
    for (size_t i = 0; i < states.size(); ++i) {
      Iterator restored(ds);
      restored.restore(states[i]);
      EXPECT_EQ(read(restored), Numbers(all.begin() + static_cast<ptrdiff_t>(i), all.end()));
    }
  }
}

}  // namespace
}  // namespace penstock::data
