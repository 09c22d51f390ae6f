#include "graph/control.h"

#include <penstock/base/check.h>
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
    const size_t behind = control.states.size() + (control.is_tied ? 1 : 0);
    return static_cast<int32_t>(num_inputs - behind + output);
  }
  return kNoIndex;
}

Graph with_inputs(const Graph& region, std::span<const RegionInput> inputs,
                  std::span<const RegionOutput> outputs) {
  Graph made;
  std::vector<ValueId> values(region.num_values(), kNoIndex);
  for (const RegionInput& input : inputs) {
    const ValueId value = made.add_input(input.dtype, input.shape);
    if (input.number != kNoIndex)
      values[static_cast<size_t>(region.inputs()[static_cast<size_t>(input.number)])] = value;
  }
  const auto map = [&](ValueId old) {
    const ValueId value = values[static_cast<size_t>(old)];
    PEN_CHECK(value != kNoIndex);
    return value;
  };
  for (const Node& node : region.nodes()) {
    if (node.kind == NodeKind::kInput) continue;
    SmallVector<ValueId, 4> uses;
    for (ValueId input : region.inputs(node)) uses.push_back(map(input));
    const Node& copy = made.node(made.add_copy(region, node, uses));
    for (ValueId k = 0; k < node.num_outputs; ++k)
      values[static_cast<size_t>(node.first_output + k)] = copy.first_output + k;
  }
  SmallVector<ValueId, 8> results;
  for (const RegionOutput& output : outputs) {
    results.push_back(output.value != kNoIndex ? map(output.value)
                                               : made.inputs()[static_cast<size_t>(output.input)]);
  }
  made.set_outputs(results);
  return made;
}

}  // namespace penstock
