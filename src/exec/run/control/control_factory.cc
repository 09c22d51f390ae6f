#include "exec/run/control/control_factory.h"

#include "exec/run/control/branch.h"
#include "exec/run/control/loop.h"
#include "exec/run/control/loop_gradient.h"

namespace penstock::exec {

std::unique_ptr<ControlCode> make_control_code(const Graph& graph, const Node& node) {
  check_depth(graph.depth());
  const Control& control = *graph.control(node);
  switch (control.kind) {
    case Control::Kind::kBranch:
      return make_branch_code(control, make_control_code);
    case Control::Kind::kLoop:
      return make_loop_code(control, make_control_code);
    case Control::Kind::kLoopGradient:
      break;
  }
  return make_loop_gradient_code(control, make_control_code);
}

}  // namespace penstock::exec
