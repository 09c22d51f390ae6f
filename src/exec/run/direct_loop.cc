#include "exec/run/direct_loop.h"

#include <utility>

#include "exec/compile/fusion/tile_program.h"

namespace penstock::exec {

using kernels::Formula;

std::optional<LoopCall> find_loop_call(const Graph& graph, const Node& node,
                                       std::span<const Place> places) {
  const Formula* formula = node.op->cpu.formula;
  if (formula == nullptr || !formula->is_elementwise()) return {};
  const std::span<const ValueId> inputs = graph.inputs(node);
  const ValueId output = node.first_output;
  const int64_t n = graph.shape(output).num_elements();
  if (n == 0 || n > kTileElements || formula->refuses(graph.dtype(inputs.back()))) return {};
  LoopCall call{.kind = formula->kind,
                .loop = kernels::loop_of(*formula, graph.dtype(inputs[0]), graph.dtype(output)),
                .n = n,
                .strides = {},
                .places = {}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int64_t count = graph.shape(inputs[i]).num_elements();
    if ((count != n && count != 1) || graph.dtype(inputs[i]) == DType::kString) return {};
    call.strides[i] = count == n ? 1 : 0;
    call.places[i] = places[static_cast<size_t>(inputs[i])];
  }
  call.places[3] = places[static_cast<size_t>(output)];
  if (formula->is_swapped) {
    std::swap(call.strides[0], call.strides[1]);
    std::swap(call.places[0], call.places[1]);
  }
  return call;
}

void run_loop_call(const LoopCall& call, char* const* bases) noexcept {
  const auto at = [&](size_t i) { return bases[call.places[i].storage] + call.places[i].offset; };
  const int* strides = call.strides;
  switch (call.kind) {
    case Formula::Kind::kUnary:
    case Formula::Kind::kCast:
      return call.loop.unary(at(0), at(3), call.n);
    case Formula::Kind::kBinary:
      return call.loop.binary(at(0), at(1), at(3), call.n, strides[0], strides[1]);
    default:
      return call.loop.ternary(at(0), at(1), at(2), at(3), call.n, strides[0], strides[1],
                               strides[2]);
  }
}

}  // namespace penstock::exec
