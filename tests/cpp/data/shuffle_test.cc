// Shuffle: TensorFlow's orders for the same seeds, wherever the buffer lies.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <numeric>

#include "data/pipelines.h"
#include "support/testing.h"

namespace penstock::data {
namespace {

using testing_support::BudgetScope;

constexpr int64_t kSeed = 87654321;  // TensorFlow's where only an op's seed is given

TEST(Shuffle, OrdersAreTensorFlows) {
  const Dataset ds = Dataset::range(10).shuffle(4, kSeed, 3);
  EXPECT_EQ(read(ds), (Numbers{0, 3, 2, 1, 4, 7, 6, 5, 8, 9}));
  EXPECT_EQ(read(ds), (Numbers{0, 4, 1, 2, 5, 3, 6, 8, 9, 7}));
  const Dataset same = Dataset::range(10).shuffle(4, kSeed, 3, false);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(read(same), (Numbers{3, 4, 2, 0, 7, 5, 6, 8, 9, 1}));
  const Dataset wide = Dataset::range(10).shuffle(100, kSeed, 42);
  EXPECT_EQ(read(wide), (Numbers{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}));
  EXPECT_EQ(read(wide), (Numbers{3, 7, 6, 5, 8, 4, 0, 1, 9, 2}));
  EXPECT_EQ(read(Dataset::range(10).shuffle(kUnknown, kSeed, 42)),
            (Numbers{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}));
  EXPECT_EQ(read(Dataset::range(10).shuffle(INT64_MAX, kSeed, 42)),
            (Numbers{5, 9, 6, 4, 7, 1, 2, 8, 3, 0}));
  EXPECT_EQ(read(Dataset::range(6).shuffle(1, kSeed, 1)), (Numbers{0, 1, 2, 3, 4, 5}));
  const Dataset large = Dataset::range(8).shuffle(5, 2147483646, 2147483647);
  EXPECT_EQ(read(large), (Numbers{0, 3, 2, 7, 4, 1, 6, 5}));
  EXPECT_EQ(read(large), (Numbers{3, 0, 1, 2, 7, 4, 5, 6}));
  EXPECT_EQ(read(Dataset::range(0).shuffle(5, 1, 2)), Numbers{});
}

TEST(Shuffle, RepeatTakesSeedsOnceMoreThanItHasEpochs) {
  const Dataset ds = Dataset::range(5).shuffle(3, kSeed, 7).repeat(2);
  EXPECT_EQ(read(ds), (Numbers{1, 2, 0, 3, 4, 1, 0, 3, 4, 2}));
  EXPECT_EQ(read(ds), (Numbers{1, 3, 0, 4, 2, 0, 1, 3, 4, 2}));
}

TEST(Shuffle, FusedWithRepeat) {
  const Dataset narrow = Dataset::range(5).shuffle_and_repeat(3, kSeed, 7, 3);
  EXPECT_EQ(narrow.cardinality(), 15);
  EXPECT_EQ(read(narrow), (Numbers{1, 2, 0, 3, 4, 1, 0, 3, 4, 2, 1, 3, 0, 4, 2}));
  EXPECT_EQ(read(narrow), (Numbers{1, 3, 0, 4, 2, 0, 1, 3, 4, 2, 2, 0, 3, 1, 4}));
  const Numbers first = {2, 4, 0, 3, 1, 4, 3, 1, 0, 2, 1, 2, 3, 4, 0};
  const Dataset wide = Dataset::range(5).shuffle_and_repeat(8, kSeed, 7, 3);
  EXPECT_EQ(read(wide), first);
  EXPECT_EQ(read(wide), (Numbers{1, 3, 0, 4, 2, 1, 4, 3, 0, 2, 1, 3, 0, 2, 4}));
  EXPECT_EQ(read(Dataset::range(5).shuffle_and_repeat(kUnknown, kSeed, 7, 3)), first);
  // The number of elements is not known.
  const Dataset chosen[] = {Dataset::range(5)};
  const Dataset zeros = Dataset::make(
      "Map", {.inputs = {Dataset::range(100)}, .functions = {[] {
                                                 Trace trace("zero");
                                                 const Tensor x =
                                                     trace.input(DType::kInt64, Shape{});
                                                 const Tensor outputs[] = {x - x};
                                                 return ElementFunction(trace.finish(outputs));
                                               }()}});
  const Dataset unknown = Dataset::choose(zeros, chosen);
  ASSERT_EQ(unknown.cardinality(), kUnknown);
  EXPECT_EQ(read(unknown.shuffle_and_repeat(8, kSeed, 7, 3)), first);
  EXPECT_EQ(read(unknown.shuffle_and_repeat(kUnknown, kSeed, 7, 3)), first);
  EXPECT_EQ(read(unknown.shuffle_and_repeat(kUnknown, kSeed, 7), 12),
            Numbers(first.begin(), first.begin() + 12));
  EXPECT_EQ(read(Dataset::range(5).shuffle_and_repeat(8, kSeed, 7, 3, false)),
            (Numbers{2, 4, 3, 0, 1, 2, 4, 3, 0, 1, 2, 4, 3, 0, 1}));
  const Dataset endless = Dataset::range(4).shuffle_and_repeat(3, kSeed, 7);
  EXPECT_EQ(endless.cardinality(), kInfinite);
  EXPECT_EQ(read(endless, 10), (Numbers{1, 2, 0, 3, 1, 0, 3, 2, 1, 3}));
  EXPECT_EQ(read(Dataset::range(0).shuffle_and_repeat(3, kSeed, 7)), Numbers{});
  EXPECT_EQ(read(Dataset::range(0).shuffle_and_repeat(3, kSeed, 7, 1000000)), Numbers{});
}

TEST(Shuffle, Mistakes) {
  const Dataset ds = Dataset::range(3);
  for (const int64_t size : {0, -1, -5})
    EXPECT_ERROR(InvalidArgumentError,
                 "buffer_size must be greater than zero or UNKNOWN_CARDINALITY",
                 ds.shuffle(size, 1, 2));
  EXPECT_ERROR(InvalidArgumentError, "count must be greater than zero or equal to -1",
               ds.shuffle_and_repeat(2, 1, 2, 0));
}

// The same elements in each form: packed, whole, encoded.
std::vector<Dataset> forms(int64_t count) {
  return {Dataset::range(count), vectors(count, 20000), texts(count),
          Dataset::range(count).batch(1)};
}

TEST(Shuffle, EveryFormGivesTheSameOrder) {
  const Numbers expected = read(Dataset::range(40).shuffle(7, kSeed, 3));
  for (const Dataset& ds : forms(40)) EXPECT_EQ(read(ds.shuffle(7, kSeed, 3)), expected);
}

TEST(Shuffle, ABufferBeyondItsShareGoesToAFile) {
  const TemporaryFolder folder;
  for (const Dataset& ds : {vectors(4000, 200), vectors(60, 20000), texts(4000)}) {
    const int64_t count = ds.cardinality();
    const Dataset shuffled = ds.shuffle(count * 3 / 4, kSeed, 3);
    const Dataset numbers = Dataset::range(count).shuffle(count * 3 / 4, kSeed, 3);
    // A third of what the buffer needs. What the process holds besides is not part of the share.
    const int64_t before = memory::info(Tag::kDataset).current;
    const bool is_text = ds.spec()[0].dtype == DType::kString;
    const BudgetScope budget(is_text ? 40000 : count / 2 * bytes_of(ds.spec()));
    {
      Iterator iterator(shuffled);
      Numbers found = read(iterator, 5);
      const int64_t held = memory::info(Tag::kDataset).current - before;
      EXPECT_LE(held, is_text ? 20000 : count / 4 * bytes_of(ds.spec()));
      ASSERT_EQ(folder.files().size(), 1u);
      EXPECT_TRUE(folder.files()[0].starts_with("penstock-shuffle-")) << folder.files()[0];
      const Numbers others = read(iterator);
      found.insert(found.end(), others.begin(), others.end());
      EXPECT_EQ(found, read(numbers));
    }
    EXPECT_TRUE(folder.files().empty());
    EXPECT_EQ(memory::info(Tag::kDataset).current, before);
  }
}

TEST(Shuffle, ADamagedFileIsNoticed) {
  const TemporaryFolder folder;
  const Dataset ds = vectors(60, 20000).shuffle(50, kSeed, 3);
  const BudgetScope budget(1 << 20);
  Iterator iterator(ds);
  EXPECT_EQ(read(iterator, 1).size(), 1u);
  ASSERT_EQ(folder.files().size(), 1u);
  std::filesystem::resize_file(folder.path(folder.files()[0]), 100);
  EXPECT_ERROR(DataLossError, "penstock-shuffle-", read(iterator));
}

TEST(Shuffle, AFullDiskIsAnErrorOfTheElement) {
  const TemporaryFolder folder;
  const Dataset ds = vectors(60, 20000).shuffle(50, kSeed, 3);
  const BudgetScope budget(1 << 20);
  // No file may be larger than this. Without the signal a write fails as on a full disk.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_ERROR(ResourceExhaustedError, folder.path("penstock-shuffle-"), read(ds));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(folder.files().empty());
}

TEST(Shuffle, AFolderThatIsMissingIsNamed) {
  const Dataset ds = vectors(60, 20000).shuffle(50, kSeed, 3);
  const TemporaryFolder folder;
  setenv("TMPDIR", folder.path("missing").c_str(), 1);
  const BudgetScope budget(1 << 20);
  EXPECT_ERROR(ResourceExhaustedError, "missing/penstock-shuffle-", read(ds));
}

TEST(Shuffle, IsRestoredAtEveryPosition) {
  for (const Dataset& ds :
       {Dataset::range(12).shuffle(5, kSeed, 3).repeat(2),
        Dataset::range(6).shuffle_and_repeat(4, kSeed, 3, 3), texts(9).shuffle(5, kSeed, 3),
        vectors(5, 20000).shuffle(3, kSeed, 3), Dataset::range(5).shuffle(100, kSeed, 3, false)}) {
    Iterator whole(ds);
    std::vector<std::string> states = {whole.save()};
    Numbers all;
    for (Numbers one; !(one = read(whole, 1)).empty();) {
      all.push_back(one[0]);
      states.push_back(whole.save());
    }
    const Numbers next = read(ds);  // of the iterator made after it
    for (size_t i = 0; i < states.size(); ++i) {
      Iterator restored(ds);
      restored.restore(states[i]);
      EXPECT_EQ(read(restored), Numbers(all.begin() + static_cast<ptrdiff_t>(i), all.end()));
      EXPECT_EQ(read(ds), next) << "the seeds go on where they did";
    }
  }
}

TEST(Shuffle, IsRestoredWithThePartInTheFile) {
  const TemporaryFolder folder;
  for (const Dataset& ds : {vectors(3000, 100), vectors(40, 20000)}) {
    const Dataset shuffled = ds.shuffle(ds.cardinality() / 2, kSeed, 3);
    const BudgetScope budget(ds.cardinality() / 3 * bytes_of(ds.spec()));
    Iterator whole(shuffled);
    read(whole, 7);
    const std::string state = whole.save();
    const Numbers expected = read(whole);
    Iterator restored(shuffled);
    restored.restore(state);
    EXPECT_FALSE(folder.files().empty());
    EXPECT_EQ(read(restored), expected);
  }
  EXPECT_TRUE(folder.files().empty());
}

TEST(Shuffle, ABufferOfAnotherSizeIsRestored) {
  Iterator large(Dataset::range(20).shuffle(10, kSeed, 3));
  Numbers found = read(large, 4);
  Iterator small(Dataset::range(20).shuffle(3, kSeed, 3));
  small.restore(large.save());
  const Numbers others = read(small);
  found.insert(found.end(), others.begin(), others.end());
  std::ranges::sort(found);
  Numbers expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(found, expected);
  EXPECT_ERROR(NotFoundError, "Failed to restore",
               Iterator(Dataset::range(3)).restore(large.save()));
}

TEST(Shuffle, IteratorsShareTheSeedsOfTheirDataset) {
  const Dataset ds = Dataset::range(10).shuffle(4, kSeed, 3);
  Iterator first(ds), second(ds);  // the seeds are taken when an iterator is made
  EXPECT_EQ(read(second), (Numbers{0, 4, 1, 2, 5, 3, 6, 8, 9, 7}));
  EXPECT_EQ(read(first), (Numbers{0, 3, 2, 1, 4, 7, 6, 5, 8, 9}));
}

}  // namespace
}  // namespace penstock::data
