// Variables: values, updates in place and not, tapes, errors, threads.
#include <penstock/exec/variable.h>
#include <penstock/memory/memory.h>
#include <penstock/ops/grad_helpers.h>

#include "support/testing.h"

namespace penstock {
namespace {

std::vector<float> floats(const Variable& variable) { return variable.value().to_vector<float>(); }

TEST(Variable, TakesOverAHandedValueAndCopiesAnother) {
  const Tensor kept = {1.f, 2.f};
  const int64_t before = memory::info(Tag::kVariable).current;
  const Variable copied(kept, {.name = "copied"});
  EXPECT_EQ(memory::info(Tag::kVariable).current - before, 8);
  EXPECT_NE(copied.value().raw(), kept.raw());

  Tensor given = {3.f, 4.f};
  const void* place = given.raw();
  const Variable taken(std::move(given), {.name = "taken"});
  EXPECT_EQ(taken.value().raw(), place);
  EXPECT_EQ(memory::info(Tag::kVariable).current - before, 16);
}

TEST(Variable, UpdatesInPlaceWhenNobodyHoldsTheValue) {
  const Variable v(Tensor{1.f, 2.f});
  const void* place = v.value().raw();
  const int64_t count = memory::info().count;
  const Tensor delta = {10.f, 20.f};
  const int64_t for_delta = memory::info().count - count;
  v.state();
  Variable w = v;  // the same variable
  w.assign_add(delta);
  w.assign_sub(Tensor{1.f, 1.f});
  w.assign(delta);
  EXPECT_EQ(memory::info().count - count, 2 * for_delta) << "updates allocated";
  EXPECT_EQ(v.value().raw(), place);
  EXPECT_EQ(floats(v), (std::vector<float>{10, 20}));
}

TEST(Variable, AReaderKeepsWhatItRead) {
  Variable v(Tensor{1.f, 2.f});
  const Tensor read = v.value();
  v.assign_add(Tensor{1.f, 1.f});
  EXPECT_EQ(read.to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(v), (std::vector<float>{2, 3}));
  v.assign(v.value());
  v.assign_add(v.value());
  EXPECT_EQ(floats(v), (std::vector<float>{4, 6}));
}

TEST(Variable, AnOpenShapeTakesValuesOfManyShapes) {
  Variable v(Tensor{1.f}, {.shape = Shape{kUnknownDim}});
  EXPECT_EQ(v.shape(), (Shape{kUnknownDim}));
  v.assign(Tensor{1.f, 2.f, 3.f});
  v.assign_add(Tensor{1.f, 1.f, 1.f});
  EXPECT_EQ(floats(v), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(v.value_shape(), Shape{3});
  EXPECT_THROW(v.assign_add(Tensor{1.f}), InvalidArgumentError);
  EXPECT_THROW(v.assign(Tensor::from<float>({1, 2}, {2, 1})), InvalidArgumentError);
  Tape tape;
  const Tensor y = v.value() * v.value();
  EXPECT_EQ(tape.gradient(y, v).dense().to_vector<float>(), (std::vector<float>{4, 6, 8}));

  Variable any(Tensor(1.f), {.shape = Shape::unknown_rank()});
  any.assign(Tensor{1.f, 2.f});
  EXPECT_EQ(any.value_shape(), Shape{2});
  EXPECT_THROW(Variable(Tensor{1.f}, {.shape = Shape{2}}), InvalidArgumentError);
}

TEST(Variable, ATapeListsThoseItWatched) {
  const Variable first(Tensor(1.f)), second(Tensor(2.f)), unread(Tensor(3.f));
  const Variable frozen(Tensor(4.f), {.trainable = false});
  Tape tape;
  const Tensor y = second.value() * frozen.value();
  tape.watch(first);
  EXPECT_EQ(tape.watched_variables(), (std::vector<uint64_t>{first.id(), second.id()}));
  tape.reset();
  EXPECT_TRUE(tape.watched_variables().empty());
}

TEST(Variable, ScattersRows) {
  Variable v(Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
  const void* place = v.value().raw();
  v.scatter_add(Tensor{2, 0, 2}, Tensor::from<float>({1, 1, 2, 2, 3, 3}, {3, 2}));
  EXPECT_EQ(floats(v), (std::vector<float>{3, 4, 3, 4, 9, 10}));
  v.scatter_update(Tensor{1}, Tensor::from<float>({0, 0}, {1, 2}));
  v.scatter_sub(Tensor{0}, Tensor::from<float>({1, 1}, {1, 2}));
  EXPECT_EQ(floats(v), (std::vector<float>{2, 3, 0, 0, 9, 10}));
  EXPECT_EQ(v.value().raw(), place);
  EXPECT_ERROR(InvalidArgumentError, "is not in [0, 3)",
               v.scatter_update(Tensor{0, 3}, Tensor::from<float>({7, 7, 7, 7}, {2, 2})));
  EXPECT_EQ(floats(v), (std::vector<float>{2, 3, 0, 0, 9, 10})) << "a refused update changed it";
}

TEST(Variable, AssignsToASlice) {
  Variable v(Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
  const void* place = v.value().raw();
  v.assign_slice(Tensor{0, 1}, Tensor{3, 2}, Tensor{2, 1}, Tensor{7.f, 8.f}, {.shrink_axis = 2});
  EXPECT_EQ(floats(v), (std::vector<float>{1, 7, 3, 4, 5, 8}));
  EXPECT_EQ(v.value().raw(), place);
  EXPECT_ERROR(InvalidArgumentError, "shape of value was [1] instead of [2]",
               v.assign_slice(Tensor{0}, Tensor{1}, Tensor{1}, Tensor{7.f}, {.shrink_axis = 1}));
  EXPECT_EQ(floats(v), (std::vector<float>{1, 7, 3, 4, 5, 8})) << "a refused update changed it";
}

TEST(Variable, RefusesOtherShapesAndDtypes) {
  Variable v(Tensor{1.f, 2.f}, {.name = "w"});
  EXPECT_ERROR(InvalidArgumentError, "variable 'w' has shape [2], but the value has [3]",
               v.assign(Tensor{1.f, 2.f, 3.f}));
  EXPECT_ERROR(InvalidArgumentError, "[assign_add]", v.assign_add(Tensor(1.f)));
  EXPECT_ERROR(TypeError, "is float32, but the value is int32", v.assign_sub(Tensor{1, 2}));
  const Tensor none;
  EXPECT_ERROR(InvalidArgumentError, "needs an initial value", Variable{none});
  EXPECT_EQ(floats(v), (std::vector<float>{1, 2}));
}

TEST(Variable, AFailedAllocationLeavesItAsItWas) {
  Variable v(Tensor{1.f, 2.f});
  const Tensor delta = {1.f, 1.f};
  const Tensor reader = v.value();  // so that the update needs a new buffer
  memory::inject({.nth = 1});
  EXPECT_ERROR(ResourceExhaustedError, "injected", v.assign_add(delta));
  memory::end_injection();
  EXPECT_EQ(floats(v), (std::vector<float>{1, 2}));
  v.assign_add(delta);
  EXPECT_EQ(floats(v), (std::vector<float>{2, 3}));
}

TEST(Variable, TapesWatchTrainableOnes) {
  const Variable w(Tensor(3.f), {.name = "w"});
  const Variable fixed(Tensor(2.f), {.name = "fixed", .trainable = false});
  Tape tape;
  const Tensor y = w.value() * w.value() * fixed.value();
  const std::vector<Gradient> found = tape.gradient(y, {w, fixed});
  EXPECT_EQ(found[0].dense().item<float>(), 12.f);
  EXPECT_FALSE(found[1].defined());

  Tape watching({.watch_variables = false});
  watching.watch(fixed);
  const Tensor z = w.value() * fixed.value();
  const std::vector<Gradient> other = watching.gradient(z, {w, fixed});
  EXPECT_FALSE(other[0].defined());
  EXPECT_EQ(other[1].dense().item<float>(), 3.f);
}

TEST(Variable, GatherGivesASparseGradient) {
  const Variable table(Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2}), {.name = "table"});
  Tape tape;
  const Tensor picked = gather(table, Tensor{2, 0, 2});
  const Gradient slope = tape.gradient(reduce_sum(picked), table);
  ASSERT_TRUE(slope.is_sparse());
  EXPECT_EQ(slope.values().shape(), (Shape{3, 2}));
  EXPECT_EQ(slope.dense_shape(), (Shape{3, 2}));
  EXPECT_EQ(slope.dense().to_vector<float>(), (std::vector<float>{1, 1, 0, 0, 2, 2}));
}

TEST(Variable, TheTapeLetsGoBeforeTheUpdate) {
  const Variable w(zeros(DType::kFloat32, {64, 64}), {.name = "w"});
  const Tensor x = ones(DType::kFloat32, {8, 64});
  const void* place = w.value().raw();
  for (int step = 0; step < 3; ++step) {
    Tape tape;
    const Tensor loss = reduce_sum(matmul(x, w));
    const Gradient slope = tape.gradient(loss, w);
    Variable(w).assign_sub(slope.dense());
  }
  EXPECT_EQ(w.value().raw(), place) << "the weights moved: something still held them";
}

TEST(Variable, ThreadsUpdateAndReadOneVariable) {
  const Variable v(zeros(DType::kFloat32, {256}), {.name = "shared"});
  const Tensor one = ones(DType::kFloat32, {256});
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Variable(v).assign_add(one);
        const std::vector<float> seen = floats(v);
        for (float value : seen) ASSERT_EQ(value, seen[0]) << "a torn read";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(floats(v)[0], 400.f);
}

TEST(Variable, ManyInALoopLeaveNothing) {
  for (int i = 0; i < 5000; ++i) {
    const Variable v(Tensor(1.f), {.name = "short-lived"});
  }
  const Variable last(Tensor(1.f), {.name = "still has a name"});
  bool is_named = false;
  for (const ledger::Holding& holding : ledger::top_owners(100)) {
    is_named = is_named || holding.owner == "still has a name";
  }
  EXPECT_TRUE(is_named);
}

}  // namespace
}  // namespace penstock
