// Creates the executable of a control node of any kind.
#pragma once

#include <memory>

#include "exec/run/control_executable.h"

namespace penstock::exec {

// Pre: the node is closed.
std::unique_ptr<ControlExecutable> make_control(const Graph& graph, const Node& node);

}  // namespace penstock::exec
