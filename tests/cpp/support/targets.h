// Kernels are compiled for several instruction sets: a test of all that this machine has.
#pragma once

#include <hwy/targets.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace penstock::testing_support {

// Calls `test` with each of them chosen.
template <typename Test>
void on_every_target(Test test) {
  for (const int64_t target : {HWY_AVX3, HWY_AVX2, HWY_EMU128}) {
    hwy::SetSupportedTargetsForTest(0);
    if (target != HWY_EMU128 && (hwy::SupportedTargets() & target) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace penstock::testing_support
