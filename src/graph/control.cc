#include "graph/control.h"

#include <penstock/base/strings.h>

#include "graph/copier.h"

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

Graph with_inputs(const Graph& region, std::span<const RegionInput> inputs,
                  std::span<const RegionOutput> outputs) {
  Graph copy;
  Copier copier(region, copy);
  for (const RegionInput& input : inputs) {
    const ValueId value = copy.add_input(input.dtype, input.shape);
    if (input.number != kNoIndex)
      copier.set(region.inputs()[static_cast<size_t>(input.number)], value);
  }
  for (const Node& node : region.nodes()) {
    if (node.kind != NodeKind::kInput) copier.copy(node);
  }
  SmallVector<ValueId, 8> results;
  for (const RegionOutput& output : outputs) {
    results.push_back(output.value != kNoIndex ? copier[output.value]
                                               : copy.inputs()[static_cast<size_t>(output.input)]);
  }
  copy.set_outputs(results);
  return copy;
}

}  // namespace penstock
