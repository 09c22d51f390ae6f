// Saved datasets and snapshots.
#include <penstock/data/saved.h>

#include <penstock/exec/trace.h>
#include <penstock/ops.h>

#include "data/files.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;
using data::Dataset;

Dataset pairs() {
  const std::vector<std::string_view> words = {"a", "", "long enough to be anywhere"};
  return Dataset::from_tensor_slices(std::vector<Tensor>{
      Tensor::from<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2}), Tensor::from_strings(words, Shape{3})});
}

data::ElementFunction function_of(const std::function<Tensor(const Tensor&)>& body) {
  Trace trace("f");
  const Tensor x = trace.input(DType::kInt64, Shape{});
  return trace.finish({body(x)});
}

TEST(Saved, ElementsComeBack) {
  const Folder folder;
  const std::string path = folder.path("x/y");
  data::save(pairs(), path, {.structure = "a structure"});
  const Dataset loaded = Dataset::load(path);
  EXPECT_EQ(all(loaded), all(pairs()));
  EXPECT_EQ(loaded.cardinality(), 3);
  EXPECT_EQ(to_string(loaded.spec()), to_string(pairs().spec()));
  EXPECT_EQ(data::saved_dataset(path).structure, "a structure");
  expect_restores(loaded);
  // Saving again replaces it, and leaves nothing behind.
  data::save(Dataset::range(5).batch(2), path);
  EXPECT_EQ(all(Dataset::load(path)), (Words{"0 1", "2 3", "4"}));
  EXPECT_EQ(to_string(Dataset::load(path).spec()), "(int64[?])");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 2);
  data::save(Dataset::range(0), path);
  EXPECT_EQ(all(Dataset::load(path)), Words{});
  EXPECT_EQ(Dataset::load(path).cardinality(), 0);
}

TEST(Saved, Shards) {
  const Folder folder;
  const std::string path = folder.path("x");
  const Tensor two(int64_t{2});
  data::save(Dataset::range(6), path,
             {.shard = function_of([&](const Tensor& x) { return floormod(x, two); })});
  EXPECT_EQ(data::saved_dataset(path).shards, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(all(Dataset::load(path)), (Words{"0", "2", "4", "1", "3", "5"}));
  expect_restores(Dataset::load(path));
  const std::string_view name = path, none = "";
  const auto shard = [&](int64_t number) {
    return Dataset::make("Load",
                         {.operands = {Tensor::from_strings({&name, 1}, Shape{}),
                                       Tensor::from_strings({&none, 1}, Shape{}), Tensor(number)}});
  };
  EXPECT_EQ(all(shard(1)), (Words{"1", "3", "5"}));
  EXPECT_EQ(shard(1).cardinality(), 3);
  EXPECT_ERROR(InvalidArgumentError, "there is no shard 2 of 2", shard(2));
  EXPECT_ERROR(
      InvalidArgumentError, "must not be negative",
      data::save(Dataset::range(6), path,
                 {.shard = function_of([&](const Tensor& x) { return subtract(x, two); })}));
  EXPECT_EQ(all(Dataset::load(path)).size(), 6u);  // a failed save leaves what was there
}

TEST(Saved, Compressed) {
  if (!has_zlib()) GTEST_SKIP() << "no zlib";
  const Folder folder;
  const std::string path = folder.path("x");
  data::save(Dataset::range(3000), path, {.compression = "GZIP"});
  EXPECT_EQ(all(Dataset::load(path, "GZIP").take(1000)), all(Dataset::range(1000)));
  EXPECT_EQ(all(Dataset::load(path)),
            (Words{"! corrupted record at 0 (Is this even a TFRecord file?)"}));
  EXPECT_ERROR(InvalidArgumentError, "Unsupported compression",
               data::save(Dataset::range(3), path, {.compression = "BZIP"}));
}

TEST(Saved, NothingThere) {
  const Folder folder;
  EXPECT_ERROR(NotFoundError,
               "tf.data snapshot element_spec file not found: " + folder.path("missing") +
                   "/dataset_spec.pb.",
               Dataset::load(folder.path("missing")));
}

// Every byte changed or cut off in turn: an error or the same elements.
TEST(Saved, DamageIsNoticed) {
  const Folder folder;
  const std::string path = folder.path("x");
  data::save(Dataset::range(3), path);
  const Words expected = all(Dataset::load(path));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 2u);
  for (const std::string& file : files) {
    const std::string good = content_of(file);
    const auto expect_loss = [&](const std::string& bad) {
      std::ofstream(file, std::ios::binary) << bad;
      bool is_noticed = false;
      try {
        data::Iterator iterator(Dataset::load(path));
        data::Element element;
        while (iterator.next(element)) {
        }
      } catch (const DataLossError&) {
        is_noticed = true;
      }
      EXPECT_TRUE(is_noticed) << file;
    };
    for (size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 64);
      expect_loss(bad);
      expect_loss(good.substr(0, at));
    }
    std::ofstream(file, std::ios::binary) << good;
  }
  EXPECT_EQ(all(Dataset::load(path)), expected);
}

TEST(Snapshot, IsWrittenOnceAndThenRead) {
  const Folder folder;
  const auto doubled = [](int64_t stop) {
    return Dataset::range(stop).map(function_of([](const Tensor& x) { return add(x, x); }));
  };
  const std::string path = folder.path("kept");
  EXPECT_EQ(all(doubled(4).snapshot(path)), (Words{"0", "2", "4", "6"}));
  const auto runs = [&] { return std::distance(std::filesystem::directory_iterator(path), {}); };
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(all(doubled(4).snapshot(path)), (Words{"0", "2", "4", "6"}));
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(doubled(4).snapshot(path).cardinality(), 4);
  // Another pipeline has another snapshot.
  EXPECT_EQ(all(doubled(5).snapshot(path)).size(), 5u);
  EXPECT_EQ(runs(), 2);
  EXPECT_EQ(all(Dataset::range(4).snapshot(path)), (Words{"0", "1", "2", "3"}));
  EXPECT_EQ(runs(), 3);
  // It is really read.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.path().filename() == "shard-00000") std::filesystem::resize_file(entry.path(), 20);
  EXPECT_NE(all(doubled(4).snapshot(path))[0].find("is cut short"), std::string::npos);
}

TEST(Snapshot, AnEpochLeftEarlyLeavesNothing) {
  const Folder folder;
  const Dataset dataset = Dataset::range(4).snapshot(folder.path("kept"));
  {
    data::Iterator iterator(dataset);
    EXPECT_EQ(take(iterator, 2), (Words{"0", "1"}));
  }
  EXPECT_EQ(all(dataset), (Words{"0", "1", "2", "3"}));
  expect_restores(dataset);
  expect_restores(Dataset::range(3).snapshot(folder.path("other")));
}

}  // namespace
}  // namespace penstock
