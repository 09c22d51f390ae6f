// The gradient of a loop: its steps backwards, each from the state before it. Of these some are
// kept, and the others made again from the nearest one (plan/checkpoints.h).
#pragma once

#include <memory>

#include "exec/run/control_executable.h"

namespace penstock::exec {

std::unique_ptr<ControlExecutable> make_loop_gradient(const Control& control,
                                                      MakeControlFn make_control);

}  // namespace penstock::exec
