// Tests of batches, windows and groups: contents, specs, errors, positions.
#include "data/pipelines.h"

namespace penstock::data {
namespace {

Dataset numbers(int64_t stop) { return Dataset::range(stop); }
// [x, x, …]: x times x.
Dataset rows(const Dataset& source) {
  return source.map(of_first(
      source, [](const Tensor& x) { return fill(reshape(cast(x, DType::kInt32), Tensor{1}), x); }));
}

TEST(Batching, ParallelBatch) {
  const auto batch = [](int64_t calls) {
    return Dataset::make("ParallelBatch",
                         {.inputs = {numbers(5)}, .operands = {Tensor(int64_t{2}), Tensor(calls)}});
  };
  EXPECT_EQ(all_of(batch(2)), "[0,1] [2,3] [4]");
  EXPECT_EQ(batch(2).cardinality(), 3);
  EXPECT_THROW(batch(0), InvalidArgumentError);
}

TEST(Batching, PaddedBatch) {
  const Dataset padded = rows(numbers(5)).padded_batch(2);
  EXPECT_EQ(to_string(padded.spec()), "(int64[?,?])");
  EXPECT_EQ(padded.cardinality(), 3);
  EXPECT_EQ(all_of(padded), "[2,1][0,1] [2,3][2,2,0,3,3,3] [1,4][4,4,4,4]");
  EXPECT_EQ(all_of(rows(numbers(5)).padded_batch(2, true)), "[2,1][0,1] [2,3][2,2,0,3,3,3]");
  check_positions(padded);

  const auto fixed = [](int64_t width, const Dataset& input) {
    return Dataset::make(
        "PaddedBatch",
        {.inputs = {input}, .operands = {Tensor(int64_t{2}), Tensor{width}, Tensor(int64_t{-1})}});
  };
  EXPECT_EQ(to_string(fixed(3, rows(numbers(2))).spec()), "(int64[?,3])");
  EXPECT_EQ(all_of(fixed(3, rows(numbers(4)))), "[2,3][-1,-1,-1,1,-1,-1] [2,3][2,2,-1,3,3,3]");
  EXPECT_EQ(
      all_of(fixed(2, rows(numbers(6)))),
      "[2,2][-1,-1,1,-1] ![PaddedBatchDataset] Attempted to pad to a smaller size than the "
      "input element. ![PaddedBatchDataset] Attempted to pad to a smaller size than the input "
      "element.");
  EXPECT_THROW(fixed(2, numbers(3)), InvalidArgumentError);
  EXPECT_THROW(rows(numbers(2)).padded_batch(0), InvalidArgumentError);
}

TEST(Batching, PaddedBatchOfMoreDimensionsAndOfStrings) {
  const Dataset source = numbers(3);
  const Dataset squares = source.map(of_first(source, [](const Tensor& x) {
    const Tensor side = reshape(cast(x, DType::kInt32), Tensor{1});
    const Tensor sides[] = {side, side};
    return fill(concat(sides, 0), x);
  }));
  EXPECT_EQ(all_of(squares.padded_batch(3)), "[3,2,2][0,0,0,0,1,0,0,0,2,2,2,2]");

  const std::string_view words[] = {"a", "some longer text, not stored inline", "c", "d"};
  const Tensor first = Tensor::from_strings({words, 1}, {1});
  const Tensor second = Tensor::from_strings({words + 1, 3}, {3});
  const Dataset texts =
      Dataset::from_tensors({&first, 1}).concatenate(Dataset::from_tensors({&second, 1}));
  const std::string_view pad = "padding that is not stored inline";
  const Dataset padded = Dataset::make(
      "PaddedBatch",
      {.inputs = {texts},
       .operands = {Tensor(int64_t{2}), Tensor{int64_t{-1}}, Tensor::from_strings({&pad, 1}, {})}});
  EXPECT_EQ(all_of(padded),
            "[2,3][a,padding that is not stored inline,padding that is not stored "
            "inline,some longer text, not stored inline,c,d]");
}

TEST(Batching, Unbatch) {
  const Dataset unbatched = numbers(7).batch(3).unbatch();
  EXPECT_EQ(all_of(unbatched), "0 1 2 3 4 5 6");
  EXPECT_EQ(to_string(unbatched.spec()), "(int64[])");
  EXPECT_EQ(unbatched.cardinality(), kUnknown);
  EXPECT_EQ(numbers(7).batch(3, true).unbatch().cardinality(), 6);
  EXPECT_EQ(numbers(7).repeat().batch(3).unbatch().cardinality(), kInfinite);
  check_positions(unbatched);
  EXPECT_EQ(all_of(rows(numbers(4)).unbatch()), "1 2 2 3 3 3");
  EXPECT_THROW(numbers(3).unbatch(), InvalidArgumentError);
  const Tensor both[] = {Tensor{1, 2}, Tensor{1, 2, 3}};
  EXPECT_THROW(Dataset::from_tensors(both).unbatch(), InvalidArgumentError);
}

TEST(Batching, Rebatch) {
  const auto rebatch = [](const Dataset& input, Tensor sizes, bool drop = false) {
    return Dataset::make("Rebatch", {.inputs = {input},
                                     .operands = {std::move(sizes)},
                                     .settings = {{"drop_remainder", drop}}});
  };
  const Dataset fours = numbers(10).batch(4);
  EXPECT_EQ(all_of(fours.rebatch(3)), "[0,1,2] [3,4,5] [6,7,8] [9]");
  EXPECT_EQ(all_of(fours.rebatch(3, true)), "[0,1,2] [3,4,5] [6,7,8]");
  EXPECT_EQ(to_string(fours.rebatch(3, true).spec()), "(int64[3])");
  EXPECT_EQ(to_string(numbers(10).batch(4, true).rebatch(2).spec()), "(int64[2])");
  EXPECT_EQ(to_string(fours.rebatch(3).spec()), "(int64[?])");
  EXPECT_EQ(all_of(rebatch(fours, Tensor{int64_t{1}, int64_t{3}})),
            "[0] [1,2,3] [4] [5,6,7] [8] [9]");
  EXPECT_EQ(all_of(rebatch(fours, Tensor{int64_t{2}, int64_t{0}, int64_t{1}})),
            "[0,1] [] [2] [3,4] [] [5] [6,7] [] [8] [9]");
  EXPECT_EQ(all_of(rebatch(numbers(10).batch(10), Tensor{int64_t{3}, int64_t{4}}, true)),
            "[0,1,2] [3,4,5,6] [7,8,9]");
  EXPECT_EQ(all_of(rows(numbers(4)).rebatch(4)), "[1,2,2,3] [3,3]");
  check_positions(fours.rebatch(3));
  check_positions(rebatch(fours, Tensor{int64_t{2}, int64_t{0}, int64_t{1}}));
  EXPECT_THROW(rebatch(fours, Tensor{int64_t{-1}}), InvalidArgumentError);
  EXPECT_THROW(rebatch(fours, Tensor{int64_t{0}, int64_t{0}}), InvalidArgumentError);
  EXPECT_THROW(numbers(3).rebatch(2), InvalidArgumentError);
}

TEST(Batching, Window) {
  EXPECT_EQ(all_of(numbers(7).window(3)), "<0,1,2,> <3,4,5,> <6,>");
  EXPECT_EQ(all_of(numbers(7).window(3, 0, 1, true)), "<0,1,2,> <3,4,5,>");
  EXPECT_EQ(all_of(numbers(5).window(3, 1)), "<0,1,2,> <1,2,3,> <2,3,4,> <3,4,> <4,>");
  EXPECT_EQ(all_of(numbers(9).window(2, 4)), "<0,1,> <4,5,> <8,>");
  EXPECT_EQ(all_of(numbers(7).window(3, 1, 2, true)), "<0,2,4,> <1,3,5,> <2,4,6,>");
  EXPECT_EQ(to_string(numbers(3).window(2).spec()), "(dataset of (int64[]))");
  EXPECT_EQ(all_of(numbers(4).enumerate(5).window(2)), "<5,6,>;<0,1,> <7,8,>;<2,3,>");
  for (const int64_t size : {1, 2, 3, 5}) {
    for (const int64_t shift : {1, 2, 4}) {
      for (const int64_t stride : {1, 2}) {
        for (const bool drop : {false, true}) {
          const Dataset windows = numbers(9).window(size, shift, stride, drop);
          Iterator iterator(windows);
          EXPECT_EQ(static_cast<int64_t>(all_of(iterator).size()), windows.cardinality());
          check_positions(windows);
        }
      }
    }
  }
  EXPECT_THROW(numbers(3).window(-1), InvalidArgumentError);
  EXPECT_THROW(numbers(3).window(2, -1), InvalidArgumentError);
  EXPECT_THROW(numbers(3).window(2, 1, 0), InvalidArgumentError);
}

TEST(Batching, WindowsOutliveTheirIterator) {
  Element element;
  {
    Iterator iterator(numbers(4).window(2));
    ASSERT_TRUE(iterator.next(element));
  }
  EXPECT_EQ(text_of(element), "<0,1,>");
}

TEST(Batching, GroupByWindow) {
  const Dataset source = numbers(10);
  const Spec key = {{DType::kInt64, {}}};
  const Spec key_and_window = {{DType::kInt64, {}},
                               {.shape = {}, .dataset = std::make_shared<const Spec>(key)}};
  const auto group = [&](int64_t size) {
    return source.group_by_window(
        of_first(
            source,
            [](const Tensor& x) { return Tensor(int64_t{3}) - floormod(x, Tensor(int64_t{3})); }),
        traced(key_and_window,
               [](std::span<const Component> arguments) {
                 return std::vector<Component>{
                     Component(Dataset(arguments[1].dataset).batch(10).state())};
               }),
        traced(key, [&](std::span<const Component>) {
          return std::vector<Component>{Tensor(size) + Tensor(int64_t{0})};
        }));
  };
  // The keys are 3 (0, 3, 6, 9), 2 (1, 4, 7) and 1 (2, 5, 8).
  EXPECT_EQ(all_of(group(2)), "[0,3] [1,4] [2,5] [6,9] [8] [7]");
  EXPECT_EQ(all_of(group(100)), "[2,5,8] [1,4,7] [0,3,6,9]");
  EXPECT_EQ(group(2).cardinality(), kUnknown);
  EXPECT_EQ(to_string(group(2).spec()), "(int64[?])");
  check_positions(group(2));
  check_positions(group(100));
  EXPECT_EQ(all_of(group(0), 1),
            "![GroupByWindowDataset] Window size must be greater than zero, but got 0.");
}

}  // namespace
}  // namespace penstock::data
