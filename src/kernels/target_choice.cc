#include "kernels/target_choice.h"

#include <array>
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

std::span<const std::string_view> usable_targets() {
  struct Names {
    std::array<std::string_view, 64> names;  // a target is a bit
    size_t count = 0;
    Names() {
      for_each_usable([this](int64_t target) { names[count++] = hwy::TargetName(target); });
    }
  };
  static const Names usable;
  return std::span(usable.names).first(usable.count);
}

void choose_target(std::string_view name) {
  for_each_usable([&](int64_t target) {
    if (hwy::TargetName(target) == name) hwy::GetChosenTarget().Update(target);
  });
}

void choose_best_target() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }

}  // namespace penstock::kernels
