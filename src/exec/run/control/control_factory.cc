#include "exec/run/control/control_factory.h"

#include "exec/run/control/branch.h"
#include "exec/run/control/loop.h"
#include "exec/run/control/loop_gradient.h"

namespace penstock::exec {

std::unique_ptr<ControlExecutable> make_control(const Graph& graph, const Node& node) {
  check_depth(graph.depth());
  const Control& control = *graph.control(node);
  switch (control.kind) {
    case Control::Kind::kBranch:
      return make_branch(control, make_control);
    case Control::Kind::kLoop:
      return make_loop(control, make_control);
    case Control::Kind::kLoopGradient:
      break;
  }
  return make_loop_gradient(control, make_control);
}

}  // namespace penstock::exec
