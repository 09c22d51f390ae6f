// Schedules: orders of abstract steps with the memory that they make and use. Integers only.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::plan {

struct ScheduleStep {
  std::vector<int32_t> uses;   // items, each once
  std::vector<int32_t> makes;  // items
  std::vector<int32_t> next;   // steps that must come later
  // A made item may get the memory of a used one whose last use this is; each happens once.
  struct Takes {
    int32_t made, used;
  };
  std::vector<Takes> takes;
  int64_t scratch = 0;
};
struct ScheduleItem {
  int64_t bytes = 0;  // 0 for what is there anyway
  std::vector<int32_t> users;
  bool is_result = false;  // never freed
};
struct ScheduleProblem {
  std::vector<ScheduleStep> steps;
  std::vector<ScheduleItem> items;
};

using StepOrder = std::vector<int32_t>;

// The most bytes that are held at once.
int64_t schedule_peak(const ScheduleProblem& problem, const StepOrder& order);
// No order holds less.
int64_t schedule_bound(const ScheduleProblem& problem);
// Steps as early as their numbers allow.
StepOrder schedule_by_number(const ScheduleProblem& problem);
// Always the step next that grows least, the best of those that only wait for it included.
StepOrder schedule_greedily(const ScheduleProblem& problem);
// One result after the other, each directly after what only it needs.
StepOrder schedule_by_results(const ScheduleProblem& problem);
// The best of all orders, when that takes few enough states to find out; empty otherwise, or when
// none is below `peak`.
StepOrder schedule_exactly(const ScheduleProblem& problem, int64_t peak);

// The best that is found.
StepOrder choose_schedule(const ScheduleProblem& problem);

}  // namespace penstock::plan
