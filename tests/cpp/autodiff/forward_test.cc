// Forward mode: tangents along with values, alone and together with tapes and functions.
#include <penstock/autodiff/forward.h>

#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "support/testing.h"

namespace penstock {
namespace {

TEST(ForwardAccumulator, PushesTangentsThroughCalls) {
  const Tensor x{1.0f, 2.0f}, v{1.0f, 0.5f};
  ForwardAccumulator forward;
  forward.watch(x, v);
  forward.start();
  const Tensor y = x * x;
  const Tensor sum = reduce_sum(y);
  forward.stop();
  const Tensor later = y * 2;
  EXPECT_EQ(forward.jvp(y).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(forward.jvp(sum).item<float>(), 4);
  EXPECT_FALSE(forward.jvp(later).defined());
}

TEST(ForwardAccumulator, TakesAnInputThatIsThereTwice) {
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor v = Tensor::from<float>({1, 0, 0, 0}, {2, 2});
  ForwardAccumulator forward;
  forward.watch(x, v);
  forward.start();
  const Tensor y = matmul(x, x);
  EXPECT_EQ(forward.jvp(y).to_vector<float>(), (std::vector<float>{2, 2, 3, 0}));
}

TEST(ForwardAccumulator, ATangentGoesWithItsTensor) {
  const Tensor x = Tensor::from<float>(std::vector<float>(1000, 1), {1000});
  ForwardAccumulator forward;
  forward.watch(x, x);
  forward.start();
  const auto held = [] { return memory::info().current; };
  Tensor y = x * x;
  const auto with_one = held();
  for (int i = 0; i < 10; ++i) y = y * x;
  EXPECT_LT(held() - with_one, 1000);
  const auto before = held();
  y = Tensor();
  EXPECT_GE(before - held(), 8000);
}

TEST(ForwardAccumulator, AroundATapeGivesHessianTimesVector) {
  const Tensor x{1.0f, 2.0f}, v{1.0f, 0.0f};
  ForwardAccumulator forward;
  forward.watch(x, v);
  forward.start();
  Tape tape;
  tape.watch(x);
  const Tensor gradient = tape.gradient(reduce_sum(x * x * x), x);
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{3, 12}));
  EXPECT_EQ(forward.jvp(gradient).to_vector<float>(), (std::vector<float>{6, 0}));
}

TEST(ForwardAccumulator, NestsInTheOrderOfStarting) {
  const Tensor x(2.0f), one(1.0f);
  ForwardAccumulator outer, inner;
  outer.watch(x, one);
  inner.watch(x, one);
  outer.start();
  inner.start();
  const Tensor y = x * x * x;
  EXPECT_EQ(inner.jvp(y).item<float>(), 12);
  EXPECT_EQ(outer.jvp(inner.jvp(y)).item<float>(), 12);
  EXPECT_FALSE(inner.jvp(outer.jvp(y)).defined());
}

TEST(ForwardAccumulator, RunsAFunctionAsAWhole) {
  Variable w(Tensor(3.0f));
  Trace trace("f");
  const Tensor in = trace.input(DType::kFloat32, {2});
  const Function f = trace.finish({sin(in) * w.value()});
  const Tensor x{0.0f, 0.0f}, v{1.0f, 2.0f};
  ForwardAccumulator forward;
  forward.watch(x, v);
  forward.watch(Source(w), Tensor(1.0f));
  forward.start();
  const Tensor y = f({x})[0];
  EXPECT_EQ(forward.jvp(y).to_vector<float>(), (std::vector<float>{3, 6}));
}

TEST(ForwardAccumulator, RefusesATangentThatDoesNotFit) {
  ForwardAccumulator forward;
  EXPECT_THROW(forward.watch(Tensor(1.0f), Tensor{1.0f, 2.0f}), InvalidArgumentError);
  EXPECT_THROW(forward.watch(Tensor(1.0f), Tensor(1.0)), InvalidArgumentError);
}

TEST(ForwardAccumulator, FailsCleanlyWhereverMemoryEnds) {
  const Tensor x{1.f, 2.f}, v{1.f, 1.f};
  const auto run_all = [&] {
    ForwardAccumulator forward;
    forward.watch(x, v);
    forward.start();
    return forward.jvp(reduce_sum(x * x));
  };
  EXPECT_EQ(run_all().item<float>(), 6);
  memory::inject({});
  static_cast<void>(run_all());
  const int64_t count = memory::end_injection();
  const int64_t before = memory::info().current;
  for (int64_t nth = 1; nth <= count; ++nth) {
    const testing_support::FaultScope faults({.nth = nth, .every = 0, .tag = {}});
    EXPECT_THROW(run_all(), ResourceExhaustedError);
    EXPECT_EQ(memory::info().current, before);
  }
}

TEST(ForwardAccumulator, SaysWhereThereIsNoWay) {
  const Tensor x = Tensor::from<float>({1, 2}, {1, 1, 1, 2});
  ForwardAccumulator forward;
  forward.watch(x, x);
  forward.start();
  EXPECT_THROW(local_response_normalization(x), UnimplementedError);
}

}  // namespace
}  // namespace penstock
