#include "kernels/target_choice.h"

#include <cstdint>

#include "kernels/target_list.h"

#include <hwy/targets.h>

namespace penstock::kernels {
namespace {

template <typename Function>
void for_each_usable(Function function) {
  for (int64_t rest = HWY_TARGETS & hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
    function(rest & -rest);
}

}  // namespace

std::vector<std::string_view> usable_targets() {
  std::vector<std::string_view> names;
  for_each_usable([&](int64_t target) { names.push_back(hwy::TargetName(target)); });
  return names;
}

void choose_target(std::string_view name) {
  for_each_usable([&](int64_t target) {
    if (hwy::TargetName(target) == name) hwy::GetChosenTarget().Update(target);
  });
}

void choose_best_target() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }

}  // namespace penstock::kernels
