// A loop: its state is stored where its results will be, and every step updates it in place.
#pragma once

#include <memory>

#include "exec/run/control_executable.h"

namespace penstock::exec {

std::unique_ptr<ControlExecutable> make_loop(const Control& control, MakeControlFn make_control);

}  // namespace penstock::exec
