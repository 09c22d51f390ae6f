// Branches and loops inside functions: eager's bits, the plan's peak, and gradients that do not
// depend on how many states are kept.
#include <penstock/exec/control.h>
#include <penstock/exec/loop_counters.h>
#include <penstock/exec/memory_plan.h>
#include <penstock/exec/trace.h>

#include <gtest/gtest.h>

#include <penstock/memory/memory.h>
#include <penstock/ops/operators.h>

#include "graph/control.h"
#include "graph/passes/simplify.h"
#include "graph/text.h"
#include "support/functions.h"

namespace penstock {
namespace {

using namespace testing_support;
using List = std::vector<Tensor>;

List as_list(const Tensors& tensors) { return {tensors.begin(), tensors.end()}; }

// x -> sin(x) * w + x0 * 0.5, `steps` times.
List iterate(const Tensor& x, const Tensor& w, const Tensor& steps,
             const LoopOptions& options = {}) {
  const List start = {Tensor(int32_t{0}), x};
  return as_list(while_loop([&](std::span<const Tensor> s) { return less(s[0], steps); },
                            [&](std::span<const Tensor> s) {
                              return Tensors{s[0] + Tensor(int32_t{1}),
                                             sin(s[1]) * w + x * Tensor(0.5f)};
                            },
                            start, options));
}

Tensor gradient_of(const Tensor& x, const Tensor& w, const Tensor& steps,
                   const LoopOptions& options = {}) {
  Tape tape(Tape::Options{.persistent = true});
  tape.watch(x);
  tape.watch(w);
  const Tensor y = iterate(x, w, steps, options)[1];
  tape.stop();
  return tape.gradient(y, x).dense() + tape.gradient(y, w).dense();
}

TEST(Control, ABranchGivesWhatItsConditionPicks) {
  const Body body = [](std::span<const Tensor> in) {
    return as_list(cond(
        in[1], [&] { return Tensors{in[0] * in[0], in[0] + in[0]}; },
        [&] { return Tensors{tanh(in[0]), in[0]}; }));
  };
  for (bool pick : {true, false})
    expect_same(body, {numbers(DType::kFloat32, {40}, 1), Tensor(pick)});
}

TEST(Control, BranchesShareTheirMemory) {
  const auto heavy = [](const Tensor& x) { return matmul(tanh(matmul(x, x)), x); };
  const auto plan_of = [&](bool both) {
    return traced(
               [&](std::span<const Tensor> in) {
                 return as_list(cond(
                     in[1], [&] { return Tensors{heavy(in[0])}; },
                     [&] { return Tensors{both ? heavy(heavy(in[0])) : in[0]}; }));
               },
               List{numbers(DType::kFloat32, {64, 64}, 1), Tensor(true)})
        .plan();
  };
  EXPECT_GT(plan_of(false).peak_bytes, 2 * 64 * 64 * 4);
  EXPECT_LE(plan_of(true).peak_bytes, plan_of(false).peak_bytes + 64 * 64 * 4);
}

TEST(Control, ALoopIsItsStepsOneAfterTheOther) {
  const Body body = [](std::span<const Tensor> in) { return iterate(in[0], in[1], in[2]); };
  for (int32_t steps : {0, 1, 7}) {
    expect_same(body, {numbers(DType::kFloat32, {33}, 1), numbers(DType::kFloat32, {33}, 2),
                       Tensor(steps)});
  }
}

TEST(Control, StatesMayChangePlaces) {
  const Body body = [](std::span<const Tensor> in) {
    const List start = {Tensor(int32_t{0}), in[0], in[1]};
    return as_list(while_loop(
        [&](std::span<const Tensor> s) { return less(s[0], Tensor(int32_t{5})); },
        [&](std::span<const Tensor> s) { return Tensors{s[0] + Tensor(int32_t{1}), s[2], s[1]}; },
        start));
  };
  expect_same(body, {numbers(DType::kFloat32, {9}, 1), numbers(DType::kFloat32, {9}, 2)});
}

TEST(Control, LoopsAndBranchesInsideEachOther) {
  const Body body = [](std::span<const Tensor> in) {
    const List start = {Tensor(int32_t{0}), in[0]};
    const auto one = Tensor(int32_t{1});
    return as_list(while_loop([&](std::span<const Tensor> s) { return less(s[0], in[1]); },
                              [&](std::span<const Tensor> s) {
                                const List inner = {Tensor(int32_t{0}), s[1]};
                                const Tensors last = while_loop(
                                    [&](std::span<const Tensor> t) { return less(t[0], s[0]); },
                                    [&](std::span<const Tensor> t) {
                                      const Tensor next = cond(
                                          less(t[0], one),
                                          [&] { return Tensors{t[1] * Tensor(1.5f)}; },
                                          [&] { return Tensors{t[1] - in[0]}; })[0];
                                      return Tensors{t[0] + one, next};
                                    },
                                    inner);
                                return Tensors{s[0] + one, last[1]};
                              },
                              start));
  };
  expect_same(body, {numbers(DType::kFloat32, {5}, 1), Tensor(int32_t{4})});
}

TEST(Control, MemoryDoesNotDependOnTheNumberOfSteps) {
  const auto plan_of = [](int32_t steps) {
    return traced([&](std::span<const Tensor> in) { return iterate(in[0], in[1], Tensor(steps)); },
                  List{numbers(DType::kFloat32, {9000}, 1), numbers(DType::kFloat32, {9000}, 2)})
        .plan();
  };
  EXPECT_EQ(plan_of(10).peak_bytes, plan_of(1'000'000).peak_bytes);
  EXPECT_LT(plan_of(10).peak_bytes, 2 * 9000 * 4) << "the state is updated in place";
}

TEST(Control, GradientsAreTheSameHoweverManyStatesAreKept) {
  const List inputs = {numbers(DType::kFloat32, {7}, 1) * Tensor(0.1f),
                       numbers(DType::kFloat32, {7}, 2) * Tensor(0.1f)};
  for (int32_t steps : {1, 2, 3, 10, 41}) {
    const Tensor expected = gradient_of(inputs[0], inputs[1], Tensor(steps));
    for (int64_t kept : {0, 1, 2, 5, 100}) {
      for (bool in_file : {false, true}) {
        const LoopOptions options{.checkpoints = kept, .swap_memory = in_file};
        const Function f = traced(
            [&](std::span<const Tensor> in) {
              return List{gradient_of(in[0], in[1], Tensor(steps), options)};
            },
            inputs);
        EXPECT_EQ(f(std::span<const Tensor>(inputs))[0].to_vector<float>(),
                  expected.to_vector<float>())
            << steps << " steps, " << kept << " kept";
      }
    }
  }
}

TEST(Control, StepsForwardsAreAsFewAsTheyCanBe) {
  const List inputs = {numbers(DType::kFloat32, {7}, 1), numbers(DType::kFloat32, {7}, 2)};
  for (bool with_result : {false, true}) {
    const Function f = traced(
        [&](std::span<const Tensor> in) {
          Tape tape;
          tape.watch(in[0]);
          const Tensor y = iterate(in[0], in[1], Tensor(int32_t{1000}), {.checkpoints = 10})[1];
          List results = {tape.gradient(y, in[0]).dense()};
          if (with_result) results.push_back(y);
          return results;
        },
        inputs);
    const LoopCounters before = loop_counters();
    f(std::span<const Tensor>(inputs));
    EXPECT_EQ(loop_counters().backward - before.backward, 1000);
    EXPECT_LE(loop_counters().forward - before.forward, 3636);
    EXPECT_EQ(f.plan().loops.back().checkpoints, 10);
  }
}

TEST(Control, ThePlanIsThePeakOfAGradient) {
  const Body body = [](std::span<const Tensor> in) {
    return List{gradient_of(in[0], in[1], Tensor(int32_t{50}))};
  };
  const MemoryPlan plan = expect_same(body, {numbers(DType::kFloat32, {300}, 1) * Tensor(0.1f),
                                             numbers(DType::kFloat32, {300}, 2) * Tensor(0.1f)});
  ASSERT_FALSE(plan.loops.empty());
  EXPECT_EQ(plan.loops.back().trips, 50);
  EXPECT_TRUE(plan.is_exact());
}

TEST(Control, AFormulaWhereTheStepsAreNotKnown) {
  const Body body = [](std::span<const Tensor> in) {
    return List{gradient_of(in[0], in[1], in[2])};
  };
  const List first = {numbers(DType::kFloat32, {300}, 1) * Tensor(0.1f),
                      numbers(DType::kFloat32, {300}, 2) * Tensor(0.1f), Tensor(int32_t{3})};
  const Function f = traced(body, first);
  const MemoryPlan plan = f.plan();
  EXPECT_FALSE(plan.is_exact());
  for (int32_t steps : {1, 4, 9, 10, 100, 1000}) {
    const List inputs = {first[0], first[1], Tensor(steps)};
    const int64_t held = memory::info().current;
    memory::reset_peak();
    const Tensors found = f(std::span<const Tensor>(inputs));
    EXPECT_EQ(memory::info().peak - held, plan.peak_bytes_after(steps)) << steps << " steps";
    EXPECT_EQ(found[0].to_vector<float>(), body(inputs)[0].to_vector<float>()) << steps;
  }
}

TEST(Control, VariablesChangeInLoopsAndBranches) {
  const Variable v(Tensor{1.0f, 2.0f});
  Trace trace("f");
  const Tensor steps = trace.input(DType::kInt32, {});
  const List start = {Tensor(int32_t{0})};
  while_loop([&](std::span<const Tensor> s) { return less(s[0], steps); },
             [&](std::span<const Tensor> s) {
               Variable(v).assign(v.value() * Tensor(2.0f));
               return Tensors{s[0] + Tensor(int32_t{1})};
             },
             start);
  cond(
      less(steps, Tensor(int32_t{3})),
      [&] {
        Variable(v).assign_add(Tensor{0.5f, 0.5f});
        return Tensors{};
      },
      [] { return Tensors{}; });
  const Function f = trace.finish({v.value()});
  EXPECT_EQ(f({Tensor(int32_t{2})})[0].to_vector<float>(), (std::vector<float>{4.5f, 8.5f}));
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{4.5f, 8.5f}));
  f({Tensor(int32_t{3})});
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{36, 68}));
}

TEST(Control, StepsAreCountedWhereTheGraphSaysSo) {
  using Compare = Tensor (*)(const Tensor&, const Tensor&);
  const auto trips = [](int32_t first, int32_t step, int32_t bound, Compare compare) {
    const Function f = traced(
        [&](std::span<const Tensor> in) {
          const List start = {Tensor(first), in[0]};
          return as_list(while_loop(
              [&](std::span<const Tensor> s) { return compare(s[0], Tensor(bound)); },
              [&](std::span<const Tensor> s) { return Tensors{s[0] + Tensor(step), s[1] * in[0]}; },
              start));
        },
        List{Tensor(1.0f)});
    return f.plan().loops.at(0).trips;
  };
  const Compare is_less = [](const Tensor& a, const Tensor& b) { return less(a, b); };
  const Compare is_less_equal = [](const Tensor& a, const Tensor& b) { return less_equal(a, b); };
  const Compare is_greater = [](const Tensor& a, const Tensor& b) { return greater(a, b); };
  const Compare turned = [](const Tensor& a, const Tensor& b) { return greater(b, a); };
  const Compare differs = [](const Tensor& a, const Tensor& b) { return not_equal(a, b); };
  EXPECT_EQ(trips(0, 1, 10, is_less), 10);
  EXPECT_EQ(trips(0, 3, 10, is_less), 4);
  EXPECT_EQ(trips(0, 3, 9, is_less_equal), 4);
  EXPECT_EQ(trips(0, 1, 10, turned), 10);
  EXPECT_EQ(trips(10, -1, 0, is_greater), 10);
  EXPECT_EQ(trips(5, 1, 5, is_less), 0);
  EXPECT_EQ(trips(0, 2, 10, differs), 5);
  EXPECT_EQ(trips(0, 3, 10, differs), -1);
  EXPECT_EQ(trips(0, -1, 10, is_less), -1);
  EXPECT_EQ(trips(0, 2, INT32_MAX, is_less), -1) << "the counter would wrap around";
}

TEST(Control, InvariantsAreWorkedOutOnce) {
  const Function f = traced(
      [](std::span<const Tensor> in) {
        const List start = {Tensor(int32_t{0}), in[0]};
        return as_list(
            while_loop([&](std::span<const Tensor> s) { return less(s[0], Tensor(int32_t{9})); },
                       [&](std::span<const Tensor> s) {
                         return Tensors{s[0] + Tensor(int32_t{1}), s[1] + matmul(in[1], in[1])};
                       },
                       start));
      },
      List{numbers(DType::kFloat32, {8, 8}, 1), numbers(DType::kFloat32, {8, 8}, 2)});
  const std::string text = to_text(simplify(f.state().graph));
  EXPECT_EQ(text.find("MatMul"), text.rfind("MatMul")) << text;
  EXPECT_LT(text.find("MatMul"), text.find("body:")) << text;
}

TEST(Control, WhatNobodyNeedsIsNotMade) {
  const Function f = traced(
      [](std::span<const Tensor> in) {
        const List start = {Tensor(int32_t{0}), in[0], in[0]};
        return List{as_list(
            while_loop([&](std::span<const Tensor> s) { return less(s[0], Tensor(int32_t{9})); },
                       [&](std::span<const Tensor> s) {
                         return Tensors{s[0] + Tensor(int32_t{1}), tanh(s[1]), sin(s[2])};
                       },
                       start))[2]};
      },
      List{numbers(DType::kFloat32, {8}, 1)});
  const std::string text = to_text(simplify(f.state().graph));
  EXPECT_EQ(text.find("Tanh"), std::string::npos) << text;
  EXPECT_NE(text.find("Sin"), std::string::npos);
}

TEST(Control, TheTextIsReadBack) {
  const List inputs = {numbers(DType::kFloat32, {7}, 1), numbers(DType::kFloat32, {7}, 2),
                       Tensor(true)};
  const Function f = traced(
      [](std::span<const Tensor> in) {
        return as_list(cond(
            in[2], [&] { return Tensors{gradient_of(in[0], in[1], Tensor(int32_t{12}))}; },
            [&] { return Tensors{in[0]}; }));
      },
      inputs);
  for (const Graph* graph : {&f.state().graph}) {
    const std::string text = to_text(*graph);
    EXPECT_EQ(to_text(parse_text(text)), text);
    const Graph simple = simplify(*graph);
    EXPECT_EQ(to_text(parse_text(to_text(simple))), to_text(simple));
  }
}

TEST(Control, AFailureAnywhereLeavesEverythingUsable) {
  const List inputs = {numbers(DType::kFloat32, {64}, 1), numbers(DType::kFloat32, {64}, 2),
                       Tensor(int32_t{30})};
  const Body body = [](std::span<const Tensor> in) {
    return List{gradient_of(in[0], in[1], in[2]), iterate(in[0], in[1], in[2])[1]};
  };
  const Function f = traced(body, inputs);
  const auto run = [&] { return as_list(f(std::span<const Tensor>(inputs))); };
  const List expected = run();
  memory::inject({.nth = 0, .every = 0, .tag = {}});
  run();
  const int64_t count = memory::end_injection();
  EXPECT_GT(count, 8) << "states are kept as the loop goes on";
  const int64_t held = memory::info().current;
  int failed = 0;
  for (int64_t n = 1; n <= count; ++n) {
    memory::inject({.nth = n, .every = 0, .tag = {}});
    try {
      // Where there is no memory for one more state, fewer are kept.
      EXPECT_EQ(run()[0].to_vector<float>(), expected[0].to_vector<float>()) << n;
    } catch (const ResourceExhaustedError&) {
      ++failed;
    }
    memory::end_injection();
    EXPECT_EQ(memory::info().current, held) << n;
  }
  EXPECT_GT(failed, 2);
  EXPECT_LT(failed, count);
  EXPECT_EQ(run()[0].to_vector<float>(), expected[0].to_vector<float>());
}

TEST(Control, RegionsThatDoNotFitAreRefused) {
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {3});
  const List start = {x};
  const auto goes_on = [](std::span<const Tensor> s) {
    return less(reduce_sum(s[0]), Tensor(1.0f));
  };
  EXPECT_THROW(while_loop(
                   goes_on, [](std::span<const Tensor>) { return Tensors{}; }, start),
               InvalidArgumentError);
  EXPECT_THROW(
      while_loop(
          goes_on, [](std::span<const Tensor> s) { return Tensors{cast(s[0], DType::kInt32)}; },
          start),
      InvalidArgumentError);
  EXPECT_THROW(
      while_loop(
          goes_on, [](std::span<const Tensor> s) { return Tensors{expand_dims(s[0], 0)}; }, start),
      InvalidArgumentError);
  EXPECT_THROW(cond(
                   less(reduce_sum(x), Tensor(1.0f)), [&] { return Tensors{x}; },
                   [&] { return Tensors{cast(x, DType::kInt32)}; }),
               InvalidArgumentError);
}

// A function of a vector of any size: its sum times 2 when it has three elements, else the sum.
Function of_three() {
  Trace trace("f");
  const Tensor x = trace.input(DType::kFloat32, {kUnknownDim});
  const Tensor is_three = equal(size(x), Tensor(int32_t{3}));
  const Tensors y = cond(
      is_three, [&] { return Tensors{reduce_sum(x * Tensor::from<float>({2, 2, 2}, {3}))}; },
      [&] { return Tensors{reduce_sum(x)}; });
  return trace.finish(y);
}

TEST(Control, ARegionThatCannotWorkFailsWhenItIsTaken) {
  const Function function = of_three();
  const auto call = [&](const Shape& shape) {
    return function(List{numbers(DType::kFloat32, shape, 1)})[0];
  };
  EXPECT_EQ(call({3}).item<float>(),
            2 * reduce_sum(numbers(DType::kFloat32, {3}, 1)).item<float>());
  EXPECT_EQ(call({4}).item<float>(), reduce_sum(numbers(DType::kFloat32, {4}, 1)).item<float>());
  const Shape four[] = {{4}};
  EXPECT_TRUE(function.at(four).is_planned());
}

TEST(Control, RegionsAreNestedOnlySoDeep) {
  const auto nested = [](int depth) {
    Trace trace("f");
    const Tensor x = trace.input(DType::kFloat32, {2});
    const std::function<Tensors(int, const Tensor&)> nest = [&](int level, const Tensor& y) {
      if (level == 0) return Tensors{y + y};
      const Tensor goes_on = less(reduce_sum(y), Tensor(static_cast<float>(level)));
      return cond(goes_on, [&] { return nest(level - 1, y); }, [&] { return Tensors{y}; });
    };
    const Tensors outputs = nest(depth, x);
    return trace.finish(outputs);
  };
  const List given = {Tensor::from<float>({-1, 0}, {2})};
  EXPECT_EQ(nested(200)(given)[0].to_vector<float>(), (std::vector<float>{-2, 0}));
  EXPECT_THROW(nested(kMostDepth + 1), Error);
}

}  // namespace
}  // namespace penstock
