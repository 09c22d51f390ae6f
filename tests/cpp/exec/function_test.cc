// Tests of functions: results, plans, variables, gradients, nesting, failing allocations, threads.
#include <penstock/exec/function.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/trace.h>

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <penstock/api/optimizer.h>
#include <penstock/memory/memory.h>
#include <penstock/ops.h>
#include <penstock/ops/operators.h>

#include "exec/trace/function_state.h"
#include "graph/graph.h"

namespace penstock {
namespace {

Tensor numbers(const Shape& shape, float first = 0) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = first + 0.25f * static_cast<float>(i % 17);
  return Tensor::from<float>(values, shape);
}

// The bytes above those held before that a call takes at its peak.
int64_t peak_of(const Function& function, std::span<const Tensor> inputs) {
  const int64_t held = memory::info().current;
  memory::reset_peak();
  const Tensors outputs = function(inputs);
  return memory::info().peak - held;
}

TEST(Function, GivesWhatTheOpsGive) {
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {3, 4});
  const Tensor y = trace.input(DType::kFloat32, {4, 2});
  const Function f = trace.finish({matmul(x, y), tanh(x) * x});
  const Tensor a = numbers({3, 4}), b = numbers({4, 2}, -1);
  const Tensors found = f({a, b});
  EXPECT_EQ(found[0].to_vector<float>(), matmul(a, b).to_vector<float>());
  EXPECT_EQ(found[1].to_vector<float>(), (tanh(a) * a).to_vector<float>());
  verify(f.state().graph);
}

TEST(Function, PlanIsThePeak) {
  Trace trace("f");
  Tensor x = trace.input(DType::kFloat32, {64, 64});
  Tensor y = matmul(x, x);
  for (int i = 0; i < 5; ++i) y = matmul(tanh(y), x);
  const Function f = trace.finish({y});
  const Tensor a = numbers({64, 64});
  const MemoryPlan plan = f.plan();
  EXPECT_EQ(plan.output_bytes, 64 * 64 * 4);
  EXPECT_EQ(peak_of(f, {&a, 1}), plan.peak_bytes);
  EXPECT_EQ(peak_of(f, {&a, 1}), plan.peak_bytes);
  EXPECT_GE(plan.arena_bytes, plan.lower_bound);
}

TEST(Function, PlanSaysWhatHoldsThePeak) {
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {64, 64});
  const Function f = trace.finish({matmul(matmul(x, x), x)});
  const std::string text = to_string(f.plan());
  EXPECT_NE(text.find(" KiB (" + std::to_string(f.plan().peak_bytes) + " bytes), at least "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nfullest at MatMul"), std::string::npos) << text;
  EXPECT_NE(text.find("  16.0 KiB  activation  MatMul  float32[64,64]"), std::string::npos) << text;
  EXPECT_NE(text.find("  16.0 KiB  output  MatMul  float32[64,64]"), std::string::npos) << text;
  EXPECT_EQ(to_string(MemoryPlan()), "peak 0 B (0 bytes), at least 0; 0 instructions");
}

TEST(Function, OutputsMayBeInputsConstantsAndParts) {
  const Tensor two = numbers({2, 2}, 5);
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {2, 3});
  const Function f = trace.finish({x, two, reshape(x * x, Tensor({int64_t{6}})), x});
  const Tensor a = numbers({2, 3});
  const Tensors found = f({a});
  EXPECT_EQ(found[0].raw(), a.raw());
  EXPECT_EQ(found[1].raw(), two.raw());
  EXPECT_EQ(found[2].shape(), Shape({6}));
  EXPECT_EQ(found[3].to_vector<float>(), a.to_vector<float>());
}

TEST(Function, VariablesAreUpdatedInPlace) {
  Variable v(numbers({16, 16}));
  Trace trace("step");
  const Tensor x = trace.input(DType::kFloat32, {16, 16});
  v.assign_add(matmul(x, v.value()));
  const Function step = trace.finish({});
  const Tensor a = numbers({16, 16}, -2);
  const void* memory = v.value().raw();
  Tensor expected = v.value().copy(Tag::kActivation);
  for (int i = 0; i < 3; ++i) {
    step({a});
    expected = expected + matmul(a, expected);
  }
  EXPECT_EQ(v.value().to_vector<float>(), expected.to_vector<float>());
  EXPECT_EQ(v.value().raw(), memory);
}

TEST(Function, AValueReadBeforeStaysAsItWas) {
  Variable v(numbers({4}));
  const Tensor before = v.value();
  const std::vector<float> values = before.to_vector<float>();
  Trace trace("step");
  v.assign_add(Tensor({1.0f, 1.0f, 1.0f, 1.0f}));
  const Function step = trace.finish({});
  step({});
  EXPECT_EQ(before.to_vector<float>(), values);
  EXPECT_EQ(v.value().to_vector<float>()[0], values[0] + 1);
}

TEST(Function, VariablesCanBeSwapped) {
  Variable a(numbers({8})), b(numbers({8}, 100));
  const std::vector<float> was_a = a.value().to_vector<float>();
  const std::vector<float> was_b = b.value().to_vector<float>();
  Trace trace("swap");
  const Tensor first = a.value();
  a.assign(b.value());
  b.assign(first);
  const Function swap = trace.finish({});
  swap({});
  EXPECT_EQ(a.value().to_vector<float>(), was_b);
  EXPECT_EQ(b.value().to_vector<float>(), was_a);
}

TEST(Function, ReturnsTheNewValueOfAVariable) {
  Variable v(numbers({4}));
  Trace trace("count");
  v.assign_add(Tensor({1.0f, 1.0f, 1.0f, 1.0f}));
  const Function count = trace.finish({v.value()});
  const Tensor once = count({})[0];
  const Tensor twice = count({})[0];
  EXPECT_EQ(once.number_at(0), 1);
  EXPECT_EQ(twice.number_at(0), 2);
}

TEST(Function, TrainsAsEagerlyDone) {
  const Tensor x = numbers({8, 16}), start = numbers({16, 4}, -1);
  const auto step = [](const Tensor& in, const Variable& w, Optimizer& optimizer) {
    Tape tape;
    const Tensor y = tanh(matmul(in, w.value()));
    const Tensor loss = reduce_mean(y * y);
    const Gradient gradient = tape.gradient(loss, w);
    optimizer.apply({&gradient, 1}, {&w, 1});
    return loss;
  };
  Variable eager(start), traced(start);
  Sgd sgd({.learning_rate = 0.5});
  Trace trace("step");
  const Tensor in = trace.input(DType::kFloat32, x.shape());
  const Function f = trace.finish({step(in, traced, sgd)});
  for (int i = 0; i < 4; ++i) {
    const Tensor expected = step(x, eager, sgd);
    EXPECT_EQ(f({x})[0].number_at(0), expected.number_at(0));
  }
  EXPECT_EQ(traced.value().to_vector<float>(), eager.value().to_vector<float>());
}

TEST(Function, GradientsGoThroughACall) {
  Variable w(numbers({4, 3}));
  Trace trace("layer");
  const Tensor in = trace.input(DType::kFloat32, {2, 4});
  const Function layer = trace.finish({tanh(matmul(in, w.value()))});
  const Tensor x = numbers({2, 4}, -1);
  const auto gradients = [&](bool by_function) {
    Tape tape;
    tape.watch(x);
    const Tensor y = by_function ? layer({x})[0] : tanh(matmul(x, w.value()));
    return tape.gradient(reduce_sum(y * y), {x, w});
  };
  const std::vector<Gradient> expected = gradients(false), found = gradients(true);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(found[i].dense().to_vector<float>(), expected[i].dense().to_vector<float>());
}

TEST(Function, SecondOrderGoesThroughACall) {
  Trace trace("cube");
  const Tensor in = trace.input(DType::kFloat32, {3});
  const Function cube = trace.finish({in * in * in});
  const Tensor x({1.0f, 2.0f, 3.0f});
  Tape outer;
  outer.watch(x);
  Tape inner;
  inner.watch(x);
  const Tensor y = cube({x})[0];
  const Tensor dx = inner.gradient(y, x);
  const Tensor ddx = outer.gradient(dx, x);
  EXPECT_EQ(ddx.to_vector<float>(), std::vector<float>({6, 12, 18}));
}

TEST(Function, IsInlinedIntoAnother) {
  Trace inner_trace("inner");
  const Tensor a = inner_trace.input(DType::kFloat32, {4});
  const Function inner = inner_trace.finish({a * a});
  Trace trace("outer");
  const Tensor x = trace.input(DType::kFloat32, {4});
  const Function outer = trace.finish({inner({inner({x})[0]})[0]});
  const Tensor value({1.0f, 2.0f, 3.0f, 4.0f});
  EXPECT_EQ(outer({value})[0].to_vector<float>(), std::vector<float>({1, 16, 81, 256}));
}

TEST(Function, UsesTensorsOfTheTraceAround) {
  Trace trace("outer");
  const Tensor x = trace.input(DType::kFloat32, {2});
  Function inner;
  {
    Trace inner_trace("inner");
    const Tensor y = inner_trace.input(DType::kFloat32, {2});
    inner = inner_trace.finish({x + y});
    EXPECT_TRUE(inner.has_captures());
  }
  const Function outer = trace.finish({inner({x * x})[0]});
  EXPECT_EQ(outer({Tensor({2.0f, 3.0f})})[0].to_vector<float>(), std::vector<float>({6, 12}));
  EXPECT_THROW(inner({Tensor({1.0f, 1.0f})}), InvalidArgumentError);
}

TEST(Function, RandomNumbersGoOnFromCallToCall) {
  Trace trace("draw");
  const Function draw = trace.finish({random_normal(Tensor({int64_t{5}}), DType::kFloat32, 1, 2)});
  const std::vector<float> first = draw({})[0].to_vector<float>();
  const std::vector<float> second = draw({})[0].to_vector<float>();
  EXPECT_EQ(first, random_normal(Tensor({int64_t{5}}), DType::kFloat32, 1, 2).to_vector<float>());
  EXPECT_NE(first, second);
  EXPECT_EQ(second,
            random_normal(Tensor({int64_t{5}}), DType::kFloat32, 1, 2, 1280).to_vector<float>());
}

TEST(Function, MistakesAreErrors) {
  Tensor leaked;
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {2});
  leaked = x * x;
  EXPECT_THROW(matmul(x, x), InvalidArgumentError);
  EXPECT_THROW(static_cast<void>(leaked.to_vector<float>()), FailedPreconditionError);
  const Function f = trace.finish({leaked});
  EXPECT_THROW(leaked + leaked, InvalidArgumentError);
  EXPECT_THROW(f({Tensor({1.0f})}), InvalidArgumentError);
  EXPECT_THROW(f({}), InvalidArgumentError);
  EXPECT_THROW(f({Tensor({1, 2})}), InvalidArgumentError);
  EXPECT_EQ(f({Tensor({2.0f, 3.0f})})[0].to_vector<float>(), std::vector<float>({4, 9}));
}

TEST(Function, AKernelsErrorLeavesEverythingUsable) {
  Variable v(numbers({4}));
  Trace trace("look_up");
  const Tensor i = trace.input(DType::kInt32, {2});
  const Function look_up = trace.finish({gather(v.value(), i)});
  EXPECT_EQ(look_up({Tensor({0, 1})})[0].number_at(1), 0.25);
  const int64_t held = memory::info().current;
  EXPECT_THROW(look_up({Tensor({1, 9})}), InvalidArgumentError);
  EXPECT_EQ(memory::info().current, held);
  EXPECT_EQ(look_up({Tensor({1, 2})})[0].number_at(0), 0.25);
}

TEST(Function, EverythingIsGivenBack) {
  const int64_t before = memory::info().current;
  {
    Variable v(numbers({8, 8}));
    Trace trace("f");
    const Tensor x = trace.input(DType::kFloat32, {8, 8});
    const Function f = trace.finish({matmul(x, v.value()) + Tensor(1.0f)});
    const Tensor a = numbers({8, 8});
    f({a});
    Tape tape;
    static_cast<void>(tape.gradient(f({a})[0], v));
    EXPECT_GT(f.bytes(), 0);
  }
  EXPECT_EQ(memory::info().current, before);
}

TEST(Function, EveryAllocationMayFail) {
  const Tensor a = numbers({8, 8});
  Variable v(numbers({8, 8}, 1));
  const auto body = [&] {
    Trace trace("f");
    const Tensor x = trace.input(DType::kFloat32, {8, 8});
    const Tensor y = matmul(tanh(matmul(x, v.value())), x);
    v.assign_sub(y * Tensor(0.0f));
    const Function f = trace.finish({y});
    return f({a})[0];
  };
  const std::vector<float> expected = body().to_vector<float>();
  memory::inject({.nth = 0, .every = 0, .tag = {}});
  static_cast<void>(body());
  const int64_t count = memory::end_injection();
  ASSERT_GT(count, 3);
  const int64_t held = memory::info().current;
  for (int64_t n = 1; n <= count; ++n) {
    memory::inject({.nth = n, .every = 0, .tag = {}});
    EXPECT_THROW(body(), ResourceExhaustedError) << n;
    memory::end_injection();
    EXPECT_FALSE(Trace::is_open());
    EXPECT_EQ(memory::info().current, held) << n;
    EXPECT_EQ(body().to_vector<float>(), expected) << n;
  }
}

TEST(Function, ThreadsCallOneFunction) {
  Variable counter(Tensor({0.0f}));
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {32, 32});
  const Tensor y = matmul(tanh(x), x);
  counter.assign_add(Tensor({1.0f}));
  const Function f = trace.finish({y});
  const Tensor a = numbers({32, 32});
  const std::vector<float> expected = matmul(tanh(a), a).to_vector<float>();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) wrong += f({a})[0].to_vector<float>() != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counter.value().number_at(0), 160);
}

}  // namespace
}  // namespace penstock
