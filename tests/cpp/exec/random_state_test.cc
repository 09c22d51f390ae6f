// Random ops of graphs: one state for each, shared by all that is made of the graph.
#include <penstock/api/random.h>
#include <penstock/autodiff/tape.h>
#include <penstock/exec/graph_builder.h>
#include <penstock/exec/random_states.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "support/testing.h"

namespace penstock {
namespace {

// The numbers that a uniform op with these seeds draws, one after the other.
std::vector<float> numbers(int64_t count) {
  std::vector<float> found;
  for (int64_t i = 0; i < count; ++i)
    found.push_back(
        random_uniform(shape_tensor(Shape{}), DType::kFloat32, 3, 4, 256 * i).item<float>());
  return found;
}

Tensor drawn() { return random_uniform(shape_tensor(Shape{}), DType::kFloat32, 3, 4); }

Function drawing(const Shape& shape) {
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, shape);
  return trace.finish({drawn() + reduce_sum(x)});
}

TEST(RandomState, CallsThatRunGoOn) {
  restart_random_streams();
  const std::vector<float> wanted = numbers(3);
  for (float number : wanted) EXPECT_EQ(drawn().item<float>(), number);
  restart_random_streams();
  EXPECT_EQ(drawn().item<float>(), wanted[0]);
}

TEST(RandomState, AllShapesOfAFunctionShareOne) {
  const Function f = drawing(Shape{kUnknownDim});
  int64_t size = 0;
  for (float number : numbers(20)) {  // more shapes than are kept
    const Tensor x = fill(shape_tensor(Shape{size++ % 12}), Tensor(0.f));
    EXPECT_EQ(f({x})[0].item<float>(), number);
  }
}

TEST(RandomState, ThreadsDrawDifferentNumbers) {
  const Function f = drawing(Shape{1});
  std::vector<float> found;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const float number = f({Tensor{0.f}})[0].item<float>();
        const std::lock_guard lock(mutex);
        found.push_back(number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<float> wanted = numbers(200);
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  EXPECT_EQ(found, wanted);
}

TEST(RandomState, ProgramsOfASessionShareThem) {
  GraphBuilder builder;
  Tensor draw, twice;
  {
    const GraphBuilder::Entered entered(builder);
    draw = drawn();
    twice = draw * 2.0;
  }
  const std::vector<float> wanted = numbers(3);
  const RandomStates session, other;
  const auto run = [&](const Tensor& fetch, const RandomStates& states) {
    const Function f = builder.compile({}, {}, {&fetch, 1}, {}, {}, states);
    return f(std::span<const Tensor>())[0].item<float>();
  };
  EXPECT_EQ(run(draw, session), wanted[0]);
  EXPECT_EQ(run(twice, session), 2 * wanted[1]);
  restart_random_streams();  // which is for functions
  EXPECT_EQ(run(draw, session), wanted[2]);
  EXPECT_EQ(run(draw, other), wanted[0]);
}

TEST(RandomState, CodeThatRunsAgainDrawsTheSame) {
  restart_random_streams();
  RepeatedDraws draws;
  std::vector<float> first, again;
  for (std::vector<float>* found : {&first, &again}) {
    draws.enter();
    for (int i = 0; i < 3; ++i) found->push_back(drawn().item<float>());
    draws.exit();
  }
  EXPECT_EQ(first, numbers(3));
  EXPECT_EQ(again, first);
  EXPECT_EQ(drawn().item<float>(), numbers(4)[3]);
}

}  // namespace
}  // namespace penstock
