// Cache: the first complete epoch is kept, in memory or in files.
#include <gtest/gtest.h>

#include <fstream>

#include "data/pipelines.h"
#include "support/testing.h"

namespace penstock::data {
namespace {

using testing_support::BudgetScope;

// Numbers that differ in every epoch, so that a cached epoch shows.
Dataset changing(int64_t count) { return Dataset::random(1, 2, true).take(count); }

TEST(Cache, KeepsTheFirstEpoch) {
  const TemporaryFolder folder;
  for (const std::string& file : {std::string(), folder.path("kept")}) {
    const Dataset ds = changing(5).cache(file);
    const Numbers first = read(ds);
    EXPECT_EQ(first.size(), 5u);
    EXPECT_EQ(read(ds), first);
    EXPECT_EQ(read(ds.repeat(2)).size(), 10u);
    EXPECT_EQ(ds.cardinality(), 5);
  }
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"kept.data-00000-of-00001", "kept.index"}));
}

TEST(Cache, AnEpochThatIsLeftEarlyIsNotKept) {
  const TemporaryFolder folder;
  for (const std::string& file : {std::string(), folder.path("part")}) {
    const Dataset ds = changing(5).cache(file);
    const Numbers part = read(ds, 5);  // all, but the end was not reached
    EXPECT_TRUE(folder.files().empty());
    EXPECT_NE(read(ds), part);
  }
}

TEST(Cache, FilesAreReadByOtherDatasets) {
  const TemporaryFolder folder;
  const std::string file = folder.path("texts");
  EXPECT_EQ(read(texts(30).cache(file)).size(), 30u);
  const Numbers found = read(texts(2).cache(file));  // the input is not asked
  ASSERT_EQ(found.size(), 30u);
  EXPECT_EQ(found[29], 29);
  EXPECT_ERROR(InvalidArgumentError, "(string[])", read(Dataset::range(3).cache(file)));
}

TEST(Cache, DamagedFilesAreNoticed) {
  const TemporaryFolder folder;
  const std::string file = folder.path("kept"), data = file + ".data-00000-of-00001";
  const Dataset ds = vectors(20, 1000).cache(file);
  read(ds);
  {
    std::fstream stream(data, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(50000);
    stream.put('x');
  }
  EXPECT_ERROR(DataLossError, "kept.data", read(ds));
  std::filesystem::resize_file(data, 10);
  EXPECT_ERROR(DataLossError, "kept.data", read(ds));
  std::filesystem::resize_file(file + ".index", 10);
  EXPECT_ERROR(DataLossError, "kept.index", read(ds));
  EXPECT_ERROR(NotFoundError, "missing/kept",
               read(Dataset::range(3).cache(folder.path("missing/kept"))));
}

TEST(Cache, BeyondItsShareGoesToAFile) {
  const TemporaryFolder folder;
  for (const Dataset& source : {vectors(200, 2000), vectors(60, 20000)}) {
    const Numbers expected = read(source);
    const Dataset ds = source.cache();
    const BudgetScope budget(1 << 20);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(read(ds), expected);
    EXPECT_LE(memory::info(Tag::kDataset).current, memory::budget() / 2);
    EXPECT_EQ(folder.files().size(), 1u);
  }
  EXPECT_TRUE(folder.files().empty());
}

TEST(Cache, IteratorsFillItAtTheSameTime) {
  const Dataset ds = changing(4).cache();
  Iterator first(ds), second(ds);
  const Numbers of_second = read(second), of_first = read(first);
  EXPECT_NE(of_first, of_second);
  EXPECT_EQ(read(ds), of_second);  // it was complete first
}

TEST(Cache, IsRestoredAtEveryPosition) {
  const TemporaryFolder folder;
  int number = 0;
  for (const bool is_file : {false, true}) {
    for (const Dataset& source : {Dataset::range(6), texts(6), vectors(4, 20000)}) {
      const auto make = [&] {
        return source.cache(is_file ? folder.path(std::to_string(number++)) : "").repeat(2);
      };
      const Dataset ds = make();
      Iterator whole(ds);
      std::vector<std::string> states = {whole.save()};
      Numbers all;
      for (Numbers one; !(one = read(whole, 1)).empty();) {
        all.push_back(one[0]);
        states.push_back(whole.save());
      }
      for (size_t i = 0; i < states.size(); ++i) {
        const Numbers expected(all.begin() + static_cast<ptrdiff_t>(i), all.end());
        Iterator restored(ds);
        restored.restore(states[i]);
        EXPECT_EQ(read(restored), expected);
        if (is_file) continue;  // the files belong to the state
        Iterator elsewhere(make());
        elsewhere.restore(states[i]);
        EXPECT_EQ(read(elsewhere), expected);
      }
    }
  }
}

}  // namespace
}  // namespace penstock::data
