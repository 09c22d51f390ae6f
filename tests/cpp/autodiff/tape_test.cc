// Tests of tapes: gradients, what they record and keep, nesting, threads, failing allocations.
#include <penstock/autodiff/tape.h>

#include <memory>
#include <optional>
#include <thread>

#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "support/test_ops.h"
#include "support/testing.h"

namespace penstock {
namespace {

using namespace testing_support;

float number(const Gradient& gradient) { return gradient.dense().item<float>(); }

TEST(Tape, DifferentiatesAProduct) {
  const Tensor x(3.f);
  const Tensor y(5.f);
  Tape tape;
  tape.watch(x);
  tape.watch(y);
  const Tensor z = x * x * y;
  const std::vector<Gradient> found = tape.gradient(z, {x, y});
  EXPECT_EQ(number(found[0]), 30);
  EXPECT_EQ(number(found[1]), 9);
}

TEST(Tape, KnowsOnlyWhatItWatches) {
  const Tensor x(3.f);
  Tape tape;
  const Tensor y = x * x;
  EXPECT_EQ(tape.num_records(), 0u);
  EXPECT_FALSE(tape.gradient(y, x).defined());
}

TEST(Tape, HiddenTapesRecordNothingAndInnerOnesDo) {
  const Tensor x(3.f);
  Tape outer;
  outer.watch(x);
  {
    const HideTapes hidden;
    Tape inner;
    inner.watch(x);
    EXPECT_EQ(number(inner.gradient(x * x, x)), 6);
    EXPECT_EQ(outer.num_records(), 0u);
  }
  EXPECT_EQ(number(outer.gradient(x * 5, x)), 5);
}

TEST(Tape, MayEndWhileItIsHidden) {
  const Tensor x(3.f);
  auto outer = std::make_unique<Tape>();
  outer->watch(x);
  {
    const HideTapes hidden;
    outer.reset();
  }
  Tape tape;
  tape.watch(x);
  EXPECT_EQ(number(tape.gradient(x * x, x)), 6);
}

TEST(Tape, UnconnectedIsNoneOrZero) {
  const Tensor x(3.f);
  const Tensor other{1.f, 2.f};
  Tape tape(Tape::Options{.persistent = true});
  tape.watch(x);
  tape.watch(other);
  const Tensor y = x * 2;
  const Source sources[] = {other};
  EXPECT_FALSE(tape.gradient({&y, 1}, sources)[0].defined());
  const Gradient zero = tape.gradient({&y, 1}, sources, {}, Unconnected::kZero)[0];
  EXPECT_EQ(zero.dense().to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(Tape, OfItselfIsOne) {
  const Tensor x{3.f, 4.f};
  Tape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(x, x).dense().to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(Tape, IntermediatesHaveGradientsToo) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  const Tensor y = x * x;
  const Tensor z = y * y;
  const std::vector<Gradient> found = tape.gradient(z, {x, y});
  EXPECT_EQ(number(found[0]), 108);
  EXPECT_EQ(number(found[1]), 18);
}

TEST(Tape, SeveralTargetsAddUpWithTheirWeights) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  const Tensor targets[] = {x * 2, x * x};
  const Tensor dys[] = {Tensor(10.f), Tensor(1.f)};
  const Source sources[] = {x};
  EXPECT_EQ(number(tape.gradient(targets, sources, dys)[0]), 26);
}

TEST(Tape, CanBeAskedOnce) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  const Tensor y = x * x;
  EXPECT_EQ(number(tape.gradient(y, x)), 6);
  EXPECT_ERROR(FailedPreconditionError, "only once", tape.gradient(y, x));
  tape.reset();
  EXPECT_FALSE(tape.gradient(y, x).defined());
}

TEST(Tape, APersistentOneCanBeAskedAgain) {
  const Tensor x(3.f);
  Tape tape(Tape::Options{.persistent = true});
  tape.watch(x);
  const Tensor y = x * x;
  const Tensor z = y * x;
  EXPECT_EQ(number(tape.gradient(y, x)), 6);
  EXPECT_EQ(number(tape.gradient(z, x)), 27);
  EXPECT_EQ(number(tape.gradient(y, x)), 6);
}

TEST(Tape, StopEndsRecording) {
  const Tensor x(3.f);
  Tape tape(Tape::Options{.persistent = true});
  tape.watch(x);
  const Tensor y = x * x;
  tape.stop();
  const Tensor z = y * x;
  EXPECT_EQ(tape.num_records(), 1u);
  EXPECT_EQ(number(tape.gradient(y, x)), 6);
  EXPECT_FALSE(tape.gradient(z, x).defined());
}

TEST(Tape, PausesAreNotRecorded) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  const Tensor y = x * x;
  {
    const PauseRecording pause;
    static_cast<void>(y * y);
  }
  EXPECT_EQ(tape.num_records(), 1u);
}

TEST(Tape, NestedTapesGiveHigherDerivatives) {
  const Tensor x(2.f);
  Tape third;
  third.watch(x);
  Tensor d2;
  {
    Tape second;
    second.watch(x);
    Tensor d1;
    {
      Tape first;
      first.watch(x);
      const Tensor y = x * x * x * x;
      d1 = first.gradient(y, x);
    }
    EXPECT_EQ(d1.item<float>(), 32);
    d2 = second.gradient(d1, x);
  }
  EXPECT_EQ(d2.item<float>(), 48);
  EXPECT_EQ(number(third.gradient(d2, x)), 48);
}

TEST(Tape, JacobianOfAVector) {
  const Tensor x{2.f, 3.f};
  Tape tape(Tape::Options{.persistent = true});
  tape.watch(x);
  const Tensor y = x * x;
  const Tensor jacobian = tape.jacobian(y, x);
  EXPECT_EQ(jacobian.shape(), (Shape{2, 2}));
  EXPECT_EQ(jacobian.to_vector<float>(), (std::vector<float>{4, 0, 0, 6}));
}

TEST(Tape, RefusesWhatHasNoGradients) {
  Tape tape;
  EXPECT_ERROR(TypeError, "cannot watch a tensor of dtype int32", tape.watch(Tensor(1)));
  const Tensor x(1.f);
  const Tensor none{};
  EXPECT_ERROR(InvalidArgumentError, "not a tensor", tape.gradient(none, x));
  const Tensor targets[] = {x};
  const Source sources[] = {x};
  const Tensor wrong[] = {Tensor{1.f, 2.f}};
  EXPECT_ERROR(InvalidArgumentError, "does not fit", tape.gradient(targets, sources, wrong));
  const Tensor many[] = {x, x};
  EXPECT_ERROR(InvalidArgumentError, "2 output gradients for 1",
               tape.gradient(targets, sources, many));
}

TEST(Tape, KeepsOnlyWhatGradientsRead) {
  const Tensor x = Tensor::from<float>(std::vector<float>(1000, 1.f), {1000});
  const int64_t before = memory::info().current;
  Tape tape;
  tape.watch(x);
  Tensor y = twice(x);
  for (int i = 0; i < 20; ++i) y = twice(y);  // reads none of its inputs
  const int64_t records = memory::info(Tag::kTrace).current;
  EXPECT_LE(memory::info().current - before, 4000 + records);
}

TEST(Tape, LetsGoAsItRunsBackwards) {
  constexpr int kLayers = 16;
  constexpr int64_t kBytes = 1 << 20;
  const Tensor x = Tensor::from<float>(std::vector<float>(kBytes / 4, 1.f), {kBytes / 4});
  Tape tape;
  tape.watch(x);
  Tensor y = square(x);
  for (int i = 1; i < kLayers; ++i) y = square(y);
  const int64_t forward = memory::info().current;
  memory::reset_peak();
  const Tensor dx = tape.gradient(y, x);
  EXPECT_EQ(dx.number_at(0), 1 << kLayers);
  EXPECT_LE(memory::info().peak - forward, 3 * kBytes + 100000);
  // What is left: x, the last y and the gradient.
  EXPECT_LE(forward - memory::info().current, (kLayers - 1) * kBytes);
  EXPECT_GE(forward - memory::info().current, (kLayers - 3) * kBytes);
}

TEST(Tape, ADroppedTapeLeavesNothing) {
  const Tensor x = Tensor::from<float>(std::vector<float>(1000, 1.f), {1000});
  const int64_t before = memory::info().current;
  {
    Tape tape;
    tape.watch(x);
    Tensor y = square(x);
    for (int i = 0; i < 20; ++i) y = square(y);
  }
  EXPECT_EQ(memory::info().current, before);
}

TEST(Tape, FailsCleanlyWhereverMemoryEnds) {
  const Tensor x{1.f, 2.f};
  const auto run_all = [&] {
    Tape tape;
    tape.watch(x);
    const Tensor y = square(x) * x;
    return Tensor(tape.gradient(y, x));
  };
  EXPECT_EQ(run_all().to_vector<float>(), (std::vector<float>{3, 12}));
  memory::inject({});
  static_cast<void>(run_all());
  const int64_t count = memory::end_injection();
  const int64_t before = memory::info().current;
  for (int64_t nth = 1; nth <= count; ++nth) {
    const FaultScope faults({.nth = nth, .every = 0, .tag = {}});
    EXPECT_THROW(run_all(), ResourceExhaustedError);
    EXPECT_EQ(memory::info().current, before);
  }
}

TEST(TapeThreads, OthersAreNotRecorded) {
  const Tensor x(3.f);
  Tape tape;
  tape.watch(x);
  std::thread([&] { static_cast<void>(x * x); }).join();
  EXPECT_EQ(tape.num_records(), 0u);
}

TEST(TapeThreads, MayBeDestroyedElsewhere) {
  const Tensor x(3.f);
  auto tape = std::make_unique<Tape>();
  tape->watch(x);
  static_cast<void>(x * x);
  std::thread([&] { tape.reset(); }).join();
  static_cast<void>(x * x);  // the list drops what was closed
  Tape next;
  next.watch(x);
  const Tensor y = x * x;
  EXPECT_EQ(number(next.gradient(y, x)), 6);
}

TEST(TapeThreads, MayOutliveItsThread) {
  const Tensor x(3.f);
  std::unique_ptr<Tape> tape;
  Tensor y;
  std::thread([&] {
    tape = std::make_unique<Tape>();
    tape->watch(x);
    y = x * x;
  }).join();
  EXPECT_EQ(number(tape->gradient(y, x)), 6);
  tape.reset();
}

TEST(TapeThreads, AThreadThatEndsWithATapeOpenLeavesNothing) {
  const Tensor x(3.f);
  std::unique_ptr<Tape> tape;
  std::thread([&] {
    tape = std::make_unique<Tape>();
    tape->watch(x);
    static_cast<void>(square(x));
  }).join();
}  // the tape goes here; the ledger is looked at after it

TEST(Tape, NothingFlowsThroughStopGradient) {
  const Tensor x(3.f);
  Tape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = x * stop_gradient(x);
  EXPECT_EQ(tape.gradient(y, x).dense().item<float>(), 3.f);
  EXPECT_FALSE(tape.gradient(stop_gradient(y), x).defined());
}

}  // namespace
}  // namespace penstock
