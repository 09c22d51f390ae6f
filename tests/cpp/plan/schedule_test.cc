// Orders of steps: possible ones, and the best for small problems.
#include "plan/schedule.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace penstock::plan {
namespace {

ScheduleProblem random_problem(std::mt19937& random, int32_t count) {
  ScheduleProblem problem;
  for (int32_t s = 0; s < count; ++s) {
    ScheduleStep step;
    for (int32_t i = 0; i < s; ++i) {
      if (random() % static_cast<uint32_t>(s) > 1) continue;
      step.uses.push_back(i);
      problem.items[static_cast<size_t>(i)].users.push_back(s);
      problem.steps[static_cast<size_t>(i)].next.push_back(s);
      if (random() % 3 == 0) step.takes.push_back({s, i});
    }
    step.makes.push_back(s);
    step.scratch = static_cast<int64_t>(random() % 3);
    problem.steps.push_back(std::move(step));
    problem.items.push_back({.bytes = static_cast<int64_t>(random() % 20), .users = {}});
  }
  // Only equal sizes are taken over.
  for (ScheduleStep& step : problem.steps) {
    std::erase_if(step.takes, [&](const ScheduleStep::Takes& take) {
      return problem.items[static_cast<size_t>(take.made)].bytes !=
             problem.items[static_cast<size_t>(take.used)].bytes;
    });
  }
  return problem;
}

bool can_run(const ScheduleProblem& problem, const StepOrder& order) {
  std::vector<size_t> at(problem.steps.size(), problem.steps.size());
  for (size_t i = 0; i < order.size(); ++i) at[static_cast<size_t>(order[i])] = i;
  for (size_t s = 0; s < problem.steps.size(); ++s) {
    if (at[s] == problem.steps.size()) return false;
    for (int32_t next : problem.steps[s].next) {
      if (at[static_cast<size_t>(next)] <= at[s]) return false;
    }
  }
  return order.size() == problem.steps.size();
}

int64_t best_of_all(const ScheduleProblem& problem) {
  StepOrder order(problem.steps.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do {
    if (can_run(problem, order)) best = std::min(best, schedule_peak(problem, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Schedule, SmallProblemsGetTheBestOfAllOrders) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const ScheduleProblem problem = random_problem(random, 3 + round % 5);
    const StepOrder order = choose_schedule(problem);
    ASSERT_TRUE(can_run(problem, order));
    EXPECT_EQ(schedule_peak(problem, order), best_of_all(problem));
    EXPECT_LE(schedule_bound(problem), schedule_peak(problem, order));
  }
}

// Many small things that are made, worked on twice and gone, each with a large one: the large ones
// need not wait until all of the first steps have been done.
TEST(Schedule, ChainsAreFinishedOneByOne) {
  ScheduleProblem problem;
  constexpr int32_t kChains = 20;
  const auto add = [&](int64_t bytes, std::vector<int32_t> uses) {
    const auto s = static_cast<int32_t>(problem.steps.size());
    for (int32_t i : uses) {
      problem.items[static_cast<size_t>(i)].users.push_back(s);
      problem.steps[static_cast<size_t>(i)].next.push_back(s);
    }
    problem.steps.push_back({.uses = uses, .makes = {s}, .next = {}, .takes = {}, .scratch = 0});
    problem.items.push_back({.bytes = bytes, .users = {}});
    return s;
  };
  std::vector<int32_t> made;
  for (int32_t i = 0; i < kChains; ++i) made.push_back(add(100, {}));
  for (int32_t& each : made) each = add(100, {each});
  for (int32_t& each : made) each = add(1, {each});
  EXPECT_LT(schedule_peak(problem, schedule_greedily(problem)), 300);
  EXPECT_GE(schedule_peak(problem, schedule_by_number(problem)), kChains * 100);
}

TEST(Schedule, LargeProblemsGetNoWorseThanAsTraced) {
  std::mt19937 random(8);
  for (const int32_t count : {30, 300}) {
    const ScheduleProblem problem = random_problem(random, count);
    EXPECT_TRUE(can_run(problem, schedule_greedily(problem)));
    EXPECT_TRUE(can_run(problem, schedule_by_results(problem)));
    const StepOrder order = choose_schedule(problem);
    EXPECT_TRUE(can_run(problem, order));
    EXPECT_LE(schedule_peak(problem, order), schedule_peak(problem, schedule_by_number(problem)));
  }
}

}  // namespace
}  // namespace penstock::plan
