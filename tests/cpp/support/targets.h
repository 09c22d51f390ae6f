// Kernels are compiled for several instruction sets: a test of all that this machine has.
#pragma once

#include <gtest/gtest.h>

#include "kernels/target_choice.h"

namespace penstock::testing_support {

// Calls `test` with each of them chosen.
template <typename Test>
void on_every_target(Test test) {
  for (const std::string_view target : kernels::usable_targets()) {
    kernels::choose_target(target);
    SCOPED_TRACE(target);
    test();
  }
  kernels::choose_best_target();
}

}  // namespace penstock::testing_support
