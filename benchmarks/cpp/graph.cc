// The time to build, trace and simplify a graph of a thousand nodes.
#include "bench.h"

#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>
#include <penstock/ops/registry.h>

#include "exec/trace/function_state.h"
#include "graph/passes/simplify.h"

namespace penstock::bench {
namespace {

constexpr int kNodes = 1000;

Function traced_chain() {
  Trace trace("chain");
  const Tensor x = trace.input(DType::kFloat32, {4});
  Tensor sum = x;
  for (int i = 0; i < kNodes; ++i) sum = sum + x;
  return trace.finish({sum});
}

}  // namespace

PEN_CASE(graph_build_1000) {
  const OpDef& add = *find_op("AddV2");
  const OutputSpec output{DType::kFloat32, Shape{4}, -1, 0};
  bench.time([&] {
    Graph graph;
    const ValueId x = graph.add_input(DType::kFloat32, {4});
    ValueId sum = x;
    for (int i = 0; i < kNodes; ++i) {
      const ValueId inputs[] = {sum, x};
      sum = graph.node(graph.add_op(add, inputs, {}, {&output, 1})).first_output;
    }
    return graph;
  });
}

PEN_CASE(graph_trace_1000) {
  bench.time([] { return traced_chain(); });
}

PEN_CASE(graph_simplify_1000) {
  const Function chain = traced_chain();
  bench.time([&] { return simplify(chain.state().graph); });
}

}  // namespace penstock::bench
