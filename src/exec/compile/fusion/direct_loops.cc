#include "exec/compile/fusion/direct_loops.h"

#include <utility>

#include "exec/compile/fusion/tile_program.h"

namespace penstock::exec {

using kernels::Formula;

std::unique_ptr<DirectLoop> find_direct_loop(const Graph& graph, const Node& node) {
  const Formula* formula = node.op->cpu.formula;
  if (formula == nullptr || !formula->is_elementwise()) return nullptr;
  const std::span<const ValueId> inputs = graph.inputs(node);
  const ValueId output = node.first_output;
  const int64_t n = graph.shape(output).num_elements();
  if (n == 0 || n > kTileElements || formula->refuses(graph.dtype(inputs.back()))) return nullptr;
  auto direct = std::make_unique<DirectLoop>();
  direct->kind = formula->kind;
  direct->loop = kernels::loop_of(*formula, graph.dtype(inputs[0]), graph.dtype(output));
  direct->n = n;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int64_t count = graph.shape(inputs[i]).num_elements();
    if ((count != n && count != 1) || graph.dtype(inputs[i]) == DType::kString) return nullptr;
    direct->strides[i] = count == n ? 1 : 0;
    direct->values[i] = inputs[i];
  }
  direct->values[3] = output;
  if (formula->is_swapped) {
    std::swap(direct->strides[0], direct->strides[1]);
    std::swap(direct->values[0], direct->values[1]);
  }
  return direct;
}

}  // namespace penstock::exec
