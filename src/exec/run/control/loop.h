// A loop: its state lives where its results will be, and every step works on it there.
#pragma once

#include <memory>

#include "exec/run/control_executable.h"

namespace penstock::exec {

std::unique_ptr<ControlExecutable> make_loop(const Control& control, MakeControlFn make_control);

}  // namespace penstock::exec
