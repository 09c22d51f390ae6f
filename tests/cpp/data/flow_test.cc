// Tests of stages that restructure the flow of elements: orders, errors, positions.
#include "data/pipelines.h"

#include <penstock/data/reduce.h>

namespace penstock::data {
namespace {

Dataset numbers(int64_t stop) { return Dataset::range(stop); }
// 10x, 10x + 1, …: x + 1 elements.
ElementFunction tens(const Dataset& source) {
  return to_dataset(source, [](const Tensor& x) {
    return Dataset::make(
        "Range", {.operands = {x * Tensor(int64_t{10}),
                               x * Tensor(int64_t{11}) + Tensor(int64_t{1}), Tensor(int64_t{1})}});
  });
}
// 6 / (x - 2), which fails at 2.
ElementFunction failing(const Dataset& source) {
  return of_first(
      source, [](const Tensor& x) { return floordiv(Tensor(int64_t{6}), x - Tensor(int64_t{2})); });
}
ElementFunction is_below(const Dataset& source, int64_t limit) {
  return of_first(source, [&](const Tensor& x) { return less(x, Tensor(limit)); });
}

TEST(Flow, FlatMap) {
  const Dataset source = numbers(4);
  const Dataset all = source.flat_map(tens(source));
  EXPECT_EQ(all_of(all), "0 10 11 20 21 22 30 31 32 33");
  EXPECT_EQ(all.cardinality(), kUnknown);
  EXPECT_EQ(to_string(all.spec()), "(int64[])");
  check_positions(all);
}

TEST(Flow, InterleavePassesTheTurnOnWhereAnInputEnds) {
  const Dataset source = numbers(5);
  EXPECT_EQ(all_of(source.interleave(tens(source), 2)),
            "0 10 11 20 21 30 22 31 32 40 33 41 42 43 44");
  EXPECT_EQ(all_of(source.interleave(tens(source), 2, 3)),
            "0 10 11 20 21 22 30 31 32 33 40 41 42 43 44");
  for (const int64_t cycle : {1, 2, 3, 7}) {
    for (const int64_t block : {1, 2, 3})
      check_positions(source.interleave(tens(source), cycle, block));
  }
}

TEST(Flow, ParallelInterleaveHasTheSameOrder) {
  const Dataset source = numbers(9);
  for (const int64_t cycle : {1, 2, 3, 8, 20}) {
    for (const int64_t block : {1, 2, 5}) {
      const std::string expected = all_of(source.interleave(tens(source), cycle, block));
      for (const int64_t calls : {int64_t{2}, cycle, kAutotune}) {
        if (calls > cycle || calls == 1) continue;
        EXPECT_EQ(all_of(source.interleave(tens(source), cycle, block, calls)), expected)
            << cycle << " " << block << " " << calls;
      }
    }
  }
  const Dataset few = numbers(5);
  check_positions(few.interleave(tens(few), 3, 2, 2));
  check_positions(few.interleave(tens(few), 2, 1, kAutotune));
}

TEST(Flow, InterleaveGoesOnAfterErrors) {
  const Dataset source = numbers(4).map(failing(numbers(4)));  // -3 -6 error 6
  const auto inner = to_dataset(source, [](const Tensor& x) {
    const Dataset range = Dataset::range(3);
    return Dataset::make("Map",
                         {.inputs = {range}, .functions = {of_first(range, [&](const Tensor& y) {
                                               return floordiv(x, y - Tensor(int64_t{1}));
                                             })}});
  });
  const std::string expected = all_of(source.interleave(inner, 2));
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '!'), 4);
  EXPECT_EQ(all_of(source.interleave(inner, 2, 1, 2)), expected);
  check_positions(source.interleave(inner, 2));
  check_positions(source.interleave(inner, 2, 1, 2));
}

TEST(Flow, InterleaveMistakes) {
  const Dataset source = numbers(3);
  const auto make = [&](int64_t cycle, int64_t block, int64_t calls) {
    return message_of([&] { source.interleave(tens(source), cycle, block, calls); });
  };
  EXPECT_NE(make(0, 1, 1).find("cycle_length must be greater than zero."), std::string::npos);
  EXPECT_NE(make(-2, 1, 2).find("cycle_length must be greater than zero."), std::string::npos);
  EXPECT_NE(make(2, 0, 1).find("block_length must be greater than zero."), std::string::npos);
  EXPECT_NE(make(2, 1, 0).find("num_parallel_calls must be greater than zero."), std::string::npos);
  EXPECT_NE(make(2, 1, 5).find("`num_parallel_calls` is 5 and `cycle_length` is 2"),
            std::string::npos);
  EXPECT_THROW(source.flat_map(failing(source)), TypeError);
}

TEST(Flow, ParallelMapKeepsTheOrderAndGoesOnAfterErrors) {
  const Dataset source = numbers(5);
  const std::string expected = all_of(source.map(failing(source)));
  for (const int64_t calls : {int64_t{2}, int64_t{7}, int64_t{100}, kAutotune}) {
    const Dataset mapped = source.map(failing(source), calls);
    EXPECT_EQ(all_of(mapped), expected);
    EXPECT_EQ(mapped.cardinality(), 5);
    check_positions(mapped);
  }
  EXPECT_NE(message_of([&] {
              source.map(failing(source), 0);
            }).find("num_parallel_calls must be greater than zero."),
            std::string::npos);
}

TEST(Flow, TakeWhile) {
  const Dataset taken = numbers(6).take_while(is_below(numbers(6), 3));
  EXPECT_EQ(all_of(taken), "0 1 2");
  EXPECT_EQ(taken.cardinality(), kUnknown);
  Iterator iterator(taken);
  all_of(iterator);
  EXPECT_EQ(next_text(iterator), "end");
  check_positions(taken);
}

TEST(Flow, Unique) {
  const Tensor values{int64_t{3}, int64_t{1}, int64_t{3}, int64_t{2}, int64_t{1}};
  const Dataset unique = Dataset::from_tensor_slices({&values, 1}).unique();
  EXPECT_EQ(all_of(unique), "3 1 2");
  check_positions(unique);
  const std::string_view words[] = {"a", "b", "a", ""};
  const Tensor texts = Tensor::from_strings(words, {4});
  EXPECT_EQ(all_of(Dataset::from_tensor_slices({&texts, 1}).unique()), "a b ");
  const Tensor floats{1.0f};
  EXPECT_THROW(Dataset::from_tensor_slices({&floats, 1}).unique(), TypeError);
}

TEST(Flow, ShardAndConcatenate) {
  const Dataset source = numbers(7);
  EXPECT_EQ(all_of(source.shard(3, 0)), "0 3 6");
  EXPECT_EQ(all_of(source.shard(3, 2)), "2 5");
  EXPECT_EQ(source.shard(3, 0).cardinality(), 3);
  EXPECT_EQ(source.shard(3, 2).cardinality(), 2);
  EXPECT_EQ(source.repeat().shard(3, 2).cardinality(), kInfinite);
  check_positions(source.shard(3, 1));
  EXPECT_THROW(source.shard(0, 0), InvalidArgumentError);
  EXPECT_THROW(source.shard(2, 2), InvalidArgumentError);
  EXPECT_THROW(source.shard(2, -1), InvalidArgumentError);
  EXPECT_THROW(source.shard(-1, 0), FailedPreconditionError);

  const Dataset both = numbers(3).concatenate(numbers(2));
  EXPECT_EQ(all_of(both), "0 1 2 0 1");
  EXPECT_EQ(both.cardinality(), 5);
  EXPECT_EQ(numbers(3).concatenate(numbers(2).repeat()).cardinality(), kInfinite);
  check_positions(both);
  EXPECT_EQ(to_string(numbers(4).batch(2, true).concatenate(numbers(3).batch(3, true)).spec()),
            "(int64[?])");
  EXPECT_EQ(to_string(numbers(4).batch(2).concatenate(numbers(3)).spec()), "(int64<unknown>)");
  const Tensor one{1.5f};
  EXPECT_THROW(numbers(3).concatenate(Dataset::from_tensors({&one, 1})), TypeError);
}

TEST(Flow, IgnoreErrorsAndAssertCardinality) {
  const Dataset source = numbers(5);
  const Dataset ignored = source.map(failing(source)).ignore_errors();
  EXPECT_EQ(all_of(ignored), "-3 -6 6 3");
  EXPECT_EQ(ignored.cardinality(), kUnknown);
  check_positions(ignored);

  const auto asserted = [&](const Dataset& input, int64_t count) {
    return Dataset::make("AssertCardinality", {.inputs = {input}, .operands = {Tensor(count)}});
  };
  EXPECT_EQ(all_of(asserted(ignored, 4)), "-3 -6 6 3");
  EXPECT_EQ(asserted(ignored, 4).cardinality(), 4);
  Iterator more(asserted(numbers(3), 9)), fewer(asserted(numbers(3), 1));
  const std::string prefix = "![AssertCardinalityDataset] Input dataset was expected to contain ";
  EXPECT_EQ(all_of(more, 4).back(), prefix + "9 elements but contained only 3 elements.");
  EXPECT_EQ(all_of(fewer, 2).back(), prefix + "1 element but contained at least 2 elements.");
  check_positions(asserted(numbers(3), 3));
}

TEST(Flow, ScanAndReduce) {
  const Dataset source = numbers(5);
  Spec spec = {{DType::kInt64, {}}, {DType::kInt64, {}}};
  const auto sums = [&](const Made& made) { return traced(spec, made); };
  const Tensor zero(int64_t{0});
  const Dataset scanned =
      source.scan({&zero, 1}, sums([](std::span<const Component> arguments) {
                    const Tensor sum = arguments[0].tensor + arguments[1].tensor;
                    return std::vector<Component>{sum, sum * Tensor(int64_t{2})};
                  }));
  EXPECT_EQ(all_of(scanned), "0 2 6 12 20");
  EXPECT_EQ(scanned.cardinality(), 5);
  check_positions(scanned);

  const ElementFunction add = sums([](std::span<const Component> arguments) {
    return std::vector<Component>{arguments[0].tensor + arguments[1].tensor};
  });
  EXPECT_EQ(text_of(reduce(source, {Component(zero)}, add)), "10");
  EXPECT_EQ(text_of(reduce(numbers(0), {Component(Tensor(int64_t{7}))}, add)), "7");
  EXPECT_THROW(reduce(source, {Component(zero), Component(zero)}, add), InvalidArgumentError);
  EXPECT_THROW(reduce(source, {Component(Tensor(1.5f))}, add), TypeError);
  EXPECT_EQ(text_of(single_element(numbers(1))), "0");
  EXPECT_THROW(single_element(numbers(0)), InvalidArgumentError);
  EXPECT_THROW(single_element(numbers(2)), InvalidArgumentError);
}

TEST(Flow, Enumerate) { EXPECT_EQ(all_of(numbers(3).enumerate(5)), "5;0 6;1 7;2"); }

// A source of the host: the squares below a number, with an error in the place of 4.
class Squares final : public HostSource {
 public:
  explicit Squares(int* alive) : alive_(alive) {}
  std::unique_ptr<Elements> iterate(std::span<const Tensor> arguments) const override {
    return std::make_unique<Walk>(arguments[0].item<int64_t>(), alive_);
  }

 private:
  class Walk final : public Elements {
   public:
    Walk(int64_t stop, int* alive) : stop_(stop), alive_(alive) { ++*alive_; }
    ~Walk() override { --*alive_; }
    bool next(Element& element) override {
      const int64_t square = at_ * at_;
      if (square >= stop_) return false;
      ++at_;
      if (square == 4) throw UnknownError("KeyError: 4");
      element.clear();
      element.push_back(square == 9 ? Tensor{square} : Tensor(square));
      return true;
    }

   private:
    const int64_t stop_;
    int* const alive_;
    int64_t at_ = 0;
  };
  int* const alive_;
};

TEST(Flow, Generator) {
  int alive = 0;
  const Dataset squares = Dataset::make("Generator", {.operands = {Tensor(int64_t{20})},
                                                      .spec = {{DType::kInt64, {}}},
                                                      .host = std::make_shared<Squares>(&alive)});
  EXPECT_EQ(squares.cardinality(), kUnknown);
  EXPECT_EQ(all_of(squares),
            "0 1 !KeyError: 4 !TypeError: `generator` yielded an element of shape (1,) where an "
            "element of shape () was expected. 16");
  check_positions(squares);
  EXPECT_EQ(alive, 0);
  {
    Iterator iterator(squares);
    EXPECT_EQ(alive, 0);
    next_text(iterator);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace penstock::data
