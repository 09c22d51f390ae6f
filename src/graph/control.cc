#include "graph/control.h"

#include <penstock/base/strings.h>

namespace penstock {

const char* name_of(Control::Kind kind) {
  switch (kind) {
    case Control::Kind::kBranch:
      return "branch";
    case Control::Kind::kLoop:
      return "while";
    case Control::Kind::kLoopGradient:
      return "while gradient";
  }
  return "";
}

std::string region_name(Control::Kind kind, size_t i) {
  static constexpr const char* kNames[] = {"condition", "body", "backward"};
  return kind == Control::Kind::kBranch ? cat("case ", i) : kNames[i];
}

int32_t forwarded_input(const Control& control, size_t output, size_t num_inputs) {
  if (control.kind == Control::Kind::kLoop)
    return output < static_cast<size_t>(control.num_states) ? static_cast<int32_t>(output)
                                                            : kNoIndex;
  if (control.kind == Control::Kind::kLoopGradient && output < control.states.size()) {
    const size_t behind = control.states.size() + (control.shares_checkpoints ? 1 : 0);
    return static_cast<int32_t>(num_inputs - behind + output);
  }
  return kNoIndex;
}

}  // namespace penstock
