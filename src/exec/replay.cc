#include "exec/replay.h"

#include <penstock/base/error.h>
#include <penstock/exec/variable.h>
#include <penstock/ops/dispatch.h>

namespace penstock::exec {

Replayed replay(const Graph& graph, std::span<const Tensor* const> inputs,
                std::span<const Variable> variables, std::span<const ValueId> wanted) {
  Replayed result;
  result.values.resize(graph.num_values());
  const std::vector<bool> needed = needed_nodes(graph, wanted);
  std::vector<int32_t> uses(graph.num_values());  // that are still to come
  for (ValueId value : wanted) ++uses[static_cast<size_t>(value)];
  for (size_t n = 0; n < graph.num_nodes(); ++n) {
    if (!needed[n]) continue;
    for (ValueId input : graph.inputs(graph.node(static_cast<NodeId>(n))))
      ++uses[static_cast<size_t>(input)];
  }
  const auto value = [&](ValueId id) -> Tensor& { return result.values[static_cast<size_t>(id)]; };
  for (size_t n = 0; n < graph.num_nodes(); ++n) {
    if (!needed[n]) continue;
    const Node& node = graph.node(static_cast<NodeId>(n));
    switch (node.kind) {
      case NodeKind::kInput:
        if (static_cast<size_t>(node.index) >= inputs.size()) {
          throw InvalidArgumentError(
              "a value that is needed while a function is traced depends on the function's inputs");
        }
        value(node.first_output) = *inputs[static_cast<size_t>(node.index)];
        break;
      case NodeKind::kConstant:
        value(node.first_output) = graph.constant(node.index);
        break;
      case NodeKind::kRead:
        value(node.first_output) = variables[static_cast<size_t>(node.index)].value();
        break;
      case NodeKind::kOp: {
        SmallVector<const Tensor*, 4> given;
        for (ValueId input : graph.inputs(node)) given.push_back(&value(input));
        Tensors made = dispatch(*node.op, given, graph.attrs(node));
        for (ValueId input : graph.inputs(node)) {
          if (--uses[static_cast<size_t>(input)] == 0) value(input) = Tensor();
        }
        for (ValueId k = 0; k < node.num_outputs; ++k) {
          if (uses[static_cast<size_t>(node.first_output + k)] > 0)
            value(node.first_output + k) = std::move(made[static_cast<size_t>(k)]);
        }
        break;
      }
    }
  }
  return result;
}

}  // namespace penstock::exec
