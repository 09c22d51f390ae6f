// Schedules: orders of abstract steps that allocate and use memory. Integers only.
#pragma once

#include <cstdint>
#include <vector>

namespace penstock::plan {

struct ScheduleStep {
  std::vector<int32_t> uses;   // items, each once
  std::vector<int32_t> makes;  // items
  std::vector<int32_t> next;   // steps that must come later
  // A new item may take over the memory of a used one whose last use this is; each happens once.
  struct Takes {
    int32_t made, used;
  };
  std::vector<Takes> takes;
  int64_t scratch = 0;
};
struct ScheduleItem {
  int64_t bytes = 0;  // 0 for memory that exists anyway
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
// A lower bound on the peak of every order.
int64_t schedule_bound(const ScheduleProblem& problem);
// Each step as early as possible, by number.
StepOrder schedule_by_number(const ScheduleProblem& problem);
// Always the step that grows memory least, including the best of those that wait only for it.
StepOrder schedule_greedily(const ScheduleProblem& problem);
// One result after the other, each directly after what only it needs.
StepOrder schedule_by_results(const ScheduleProblem& problem);
// The best of all orders, if few enough states suffice to find it; empty otherwise, or if none is
// below `peak`.
StepOrder schedule_exactly(const ScheduleProblem& problem, int64_t peak);

// The best order found.
StepOrder choose_schedule(const ScheduleProblem& problem);

}  // namespace penstock::plan
