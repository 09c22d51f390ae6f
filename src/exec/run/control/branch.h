// A branch: its regions share the memory of the largest one.
#pragma once

#include <memory>

#include "exec/run/control_executable.h"

namespace penstock::exec {

std::unique_ptr<ControlExecutable> make_branch(const Control& control, MakeControlFn make_control);

}  // namespace penstock::exec
