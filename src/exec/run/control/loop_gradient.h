// The gradient of a loop: runs its steps backwards, each from the state before it. Some states are
// kept as checkpoints; the others are recomputed from the nearest one (plan/checkpoints.h).
#pragma once

#include <memory>

#include "exec/run/control_executable.h"

namespace penstock::exec {

std::unique_ptr<ControlExecutable> make_loop_gradient(const Control& control,
                                                      MakeControlFn make_control);

}  // namespace penstock::exec
