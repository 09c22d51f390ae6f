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
  auto made = std::make_unique<DirectLoop>();
  made->kind = formula->kind;
  made->loop = kernels::loop_of(*formula, graph.dtype(inputs[0]), graph.dtype(output));
  made->n = n;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int64_t count = graph.shape(inputs[i]).num_elements();
    if ((count != n && count != 1) || graph.dtype(inputs[i]) == DType::kString) return nullptr;
    made->strides[i] = count == n ? 1 : 0;
    made->values[i] = inputs[i];
  }
  made->values[3] = output;
  if (formula->is_swapped) {
    std::swap(made->strides[0], made->strides[1]);
    std::swap(made->values[0], made->values[1]);
  }
  return made;
}

}  // namespace penstock::exec
