// The memory of pipelines: as planned, and given back whatever happens.
#include <gtest/gtest.h>

#include <functional>

#include "data/pipelines.h"
#include "support/testing.h"

namespace penstock::data {
namespace {

using testing_support::BudgetScope;
using testing_support::FaultScope;

// A function that adds 1.
ElementFunction plus_one(const Shape& shape) {
  Trace trace("plus_one");
  const Tensor x = trace.input(DType::kInt64, shape);
  const Tensor outputs[] = {x + Tensor(int64_t{1})};
  return ElementFunction(trace.finish(outputs));
}

struct Case {
  std::string name;
  std::function<Dataset()> make;
  bool is_exact = true;
};

std::vector<Case> cases() {
  const auto range = [](int64_t n) { return Dataset::range(n); };
  const auto row = [](int64_t width) { return Shape{width}; };
  return {
      {"range", [=] { return range(100); }},
      {"batch", [=] { return range(100).batch(10); }},
      {"batch of the rest", [=] { return range(95).batch(10); }},
      {"batch of few", [=] { return range(5).batch(10); }},
      {"batches of batches", [=] { return range(100).batch(5).batch(4); }},
      {"shuffle", [=] { return range(1000).shuffle(100, 1, 2); }},
      {"shuffle of all", [=] { return range(1000).shuffle(5000, 1, 2); }},
      {"shuffle of unknown size", [=] { return range(1000).shuffle(kUnknown, 1, 2); }},
      {"shuffle over chunks", [=] { return range(400000).shuffle(300000, 1, 2); }},
      {"shuffle of one", [=] { return range(1000).shuffle(1, 1, 2); }},
      {"shuffle of nothing", [=] { return range(0).shuffle(10, 1, 2); }},
      {"shuffle, repeat", [=] { return range(50).shuffle(20, 1, 2).repeat(3); }},
      {"shuffle and repeat", [=] { return range(50).shuffle_and_repeat(20, 1, 2, 3); }},
      {"shuffle and repeat of few", [=] { return range(5).shuffle_and_repeat(20, 1, 2, 3); }},
      {"repeat, shuffle, take", [=] { return range(50).repeat().shuffle(20, 1, 2).take(100); }},
      {"shuffle, batch", [=] { return range(1000).shuffle(100, 1, 2).batch(10); }},
      {"shuffle of all, batch", [=] { return range(100).shuffle(1000, 1, 2).batch(10); }},
      {"batch, shuffle", [=] { return range(100).batch(10, true).shuffle(4, 1, 2); }},
      {"open batch, shuffle", [=] { return range(100).batch(10).shuffle(4, 1, 2); }, false},
      {"open batch of batch", [=] { return range(200).batch(10).batch(5); }},
      {"map, shuffle, batch",
       [=] { return vectors(64, 10).map(plus_one(row(10))).shuffle(16, 1, 2).batch(8); }},
      {"vectors, shuffle", [=] { return vectors(100, 1000).shuffle(30, 1, 2); }},
      {"large vectors, shuffle", [=] { return vectors(20, 20000).shuffle(7, 1, 2); }},
      {"large vectors, shuffle, batch",
       [=] { return vectors(20, 20000).shuffle(7, 1, 2).batch(2); }, false},
      {"large vectors, map, shuffle",
       [=] { return vectors(20, 20000).map(plus_one(row(20000))).shuffle(7, 1, 2); }},
      {"cache", [=] { return range(1000).cache(); }},
      {"cache, repeat", [=] { return range(1000).cache().repeat(2); }},
      {"cache, batch", [=] { return range(1000).cache().batch(64); }},
      {"cache of vectors", [=] { return vectors(300, 1000).cache(); }},
      {"cache of large vectors", [=] { return vectors(9, 20000).cache(); }},
      {"cache, shuffle, batch", [=] { return range(999).cache().shuffle(50, 1, 2).batch(7); }},
      {"shuffle, cache", [=] { return range(1000).shuffle(50, 1, 2).cache(); }, false},
      {"shuffle, shuffle", [=] { return range(1000).shuffle(50, 1, 2).shuffle(60, 3, 4); }},
      {"zip of shuffles",
       [=] {
         return Dataset::make(
             "Zip", {.inputs = {range(99).shuffle(10, 1, 2), range(99).shuffle(20, 3, 4)}});
       }},
      {"texts, shuffle", [=] { return texts(50).shuffle(10, 1, 2); }, false},
      {"filter, shuffle",
       [=] { return Dataset::random(1, 2).take(30).skip(10).shuffle(8, 1, 2).batch(4); }},
  };
}

TEST(MemoryPlan, IsExactWhereItSaysSo) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.name);
    const Dataset ds = each.make();
    const MemoryPlan plan = ds.memory_plan();
    EXPECT_EQ(plan.is_exact, each.is_exact);
    const int64_t before = memory::info(Tag::kDataset).current;
    memory::reset_peak();
    read(ds);
    const int64_t peak = memory::info(Tag::kDataset).peak - before;
    if (plan.is_exact) {
      EXPECT_EQ(peak, plan.peak_bytes);
    } else if (each.name != "texts, shuffle") {
      EXPECT_LE(peak, plan.peak_bytes);
    }
  }
}

TEST(MemoryPlan, SizesOfOpenBatches) {
  const MemoryPlan plan = Dataset::range(1000).batch(100).prefetch(2).memory_plan();
  EXPECT_TRUE(plan.buffers[0].is_exact);
  EXPECT_FALSE(plan.is_exact);  // a reader may be faster than the thread
  EXPECT_EQ(plan.peak_bytes, 3 * 800);
  EXPECT_FALSE(Dataset::range(150).batch(100).prefetch(2).memory_plan().is_exact);
  const MemoryPlan unknown = texts(9).batch(3).prefetch(2).memory_plan();
  EXPECT_FALSE(unknown.is_exact);
  EXPECT_EQ(unknown.buffers.back().bytes, kUnknownBytes);
  // The sizes of the batches' dimensions are stored too.
  EXPECT_EQ(Dataset::range(100).batch(10).shuffle(4, 1, 2).memory_plan().peak_bytes,
            80 + 4 * (80 + 1));
}

TEST(MemoryPlan, TheSpilledPartIsNamed) {
  const Dataset ds = Dataset::range(100000000).shuffle(10000000, 1, 2);
  const BudgetScope budget(64 << 20);
  const MemoryPlan plan = ds.memory_plan();
  ASSERT_EQ(plan.buffers.size(), 1u);
  EXPECT_TRUE(plan.buffers[0].is_spilled);
  EXPECT_FALSE(plan.is_exact);
  EXPECT_EQ(plan.peak_bytes, 32 << 20);
  EXPECT_NE(plan.buffers[0].what.find("46445568 bytes of it in a file"), std::string::npos)
      << plan.buffers[0].what;
}

// What is resident for a buffer: at most a twentieth more than the elements.
TEST(MemoryPlan, ABufferTakesWhatItsElementsTake) {
  const auto wide = [](int64_t width) {
    Trace trace("wide");
    const Tensor x = trace.input(DType::kInt64, Shape{});
    const Tensor zeros = Tensor::from(
        std::span<const int64_t>(std::vector<int64_t>(static_cast<size_t>(width))), Shape{width});
    const Tensor outputs[] = {x + zeros};
    return ElementFunction(trace.finish(outputs));
  };
  for (const int64_t width : {1, 11, 125, 5000, 17000, 40000}) {
    SCOPED_TRACE(width);
    const int64_t payload = 8 << 20, count = payload / (8 * width);
    const Dataset ds = Dataset::range(2 * count).map(wide(width)).shuffle(count, 1, 2);
    read(ds, 1);
    memory::trim();
    const int64_t before = memory::resident_bytes();
    const int64_t device = memory::info().current;
    Iterator iterator(ds);
    EXPECT_EQ(read(iterator, 1).size(), 1u);
    EXPECT_LE(memory::info().current - device, payload + payload / 100);
    memory::trim();
    EXPECT_LE(memory::resident_bytes() - before, payload + payload / 20);
  }
}

// Twelve pipelines, each with a failure at every allocation: an error or the right elements, and all
// bytes returned.
TEST(MemoryPlan, AllocationsThatFail) {
  const TemporaryFolder folder;
  const Dataset sources[] = {Dataset::range(5), Dataset::range(10, 14, 1)};
  const std::vector<std::function<Dataset()>> pipelines = {
      [] { return Dataset::range(6).batch(2); },
      [] { return Dataset::range(6).shuffle(3, 1, 2); },
      [] { return Dataset::range(6).shuffle(3, 1, 2).batch(2).prefetch(1); },
      [] { return Dataset::range(3).shuffle_and_repeat(4, 1, 2, 2); },
      [] { return texts(5).shuffle(3, 1, 2); },
      [] { return texts(5).cache().repeat(2); },
      [] { return vectors(4, 20000).shuffle(3, 1, 2); },
      [] { return vectors(3, 20000).cache().repeat(2); },
      [&] { return Dataset::range(4).cache(folder.path("kept")).repeat(2); },
      [&] { return Dataset::sample(sources, Tensor{0.5, 0.5}, 1, 2); },
      [] { return Dataset::random(1, 2, true).take(4).map(plus_one(Shape{})); },
      [] { return vectors(6, 4).map(plus_one(Shape{4})).batch(2).shuffle(2, 1, 2); },
  };
  for (size_t i = 0; i < pipelines.size(); ++i) {
    SCOPED_TRACE(i);
    const Numbers expected = read(pipelines[i]());
    std::filesystem::remove(folder.path("kept.index"));
    int64_t count;
    memory::inject({});
    read(pipelines[i]());
    count = memory::end_injection();
    ASSERT_GT(count, 0);
    for (int64_t nth = 1; nth <= count; ++nth) {
      std::filesystem::remove(folder.path("kept.index"));
      const int64_t before = memory::info().current;
      const FaultScope fault({.nth = nth});
      try {
        EXPECT_EQ(read(pipelines[i]()), expected);
      } catch (const ResourceExhaustedError&) {
      }
      EXPECT_EQ(memory::info().current, before) << "at allocation " << nth;
    }
  }
}

TEST(MemoryPlan, IteratorsThatAreDroppedMidWay) {
  const int64_t before = memory::info().current;
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.name);
    for (const int64_t most : {0, 1, 5}) {
      read(each.make(), most);
      EXPECT_EQ(memory::info().current, before);
    }
  }
}

}  // namespace
}  // namespace penstock::data
