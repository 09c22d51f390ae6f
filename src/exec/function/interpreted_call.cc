#include "exec/function/interpreted_call.h"

#include "exec/control/control_calls.h"
#include "exec/eager/interpreter.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {

using Inputs = std::span<const Tensor* const>;

std::vector<Tensor> interpret_call(const FunctionState& function, Inputs inputs, StateMap* states) {
  return interpret_call(function, inputs, function.variables, states);
}

std::vector<Tensor> interpret_call(const FunctionState& function, Inputs inputs,
                                   std::span<const Variable> variables, StateMap* states) {
  SmallVector<const Tensor*, 8> all(inputs.begin(), inputs.end());
  for (const Tensor& capture : function.captures) all.push_back(&capture);
  const Graph& graph = function.graph;
  const std::vector<ValueId> results = results_of(graph);
  const size_t first = t_trace == nullptr ? 0 : t_trace->graph.num_nodes();
  Interpreter interpreter(graph, all, variables, needed_nodes(graph, results, true), call_control,
                          states);
  for (ValueId result : results) interpreter.keep(result);
  interpreter.set_assigns(Interpreter::Assigns::kAndRead);
  interpreter.run();
  for (const Write& write : graph.writes()) {
    Variable variable = variables[static_cast<size_t>(write.slot)];
    variable.assign(interpreter.value(write.value));
  }
  std::vector<Tensor> outputs;
  for (ValueId output : graph.outputs()) outputs.push_back(interpreter.value(output));
  if (t_trace != nullptr) t_trace->called(static_cast<NodeId>(first), outputs);
  return outputs;
}

}  // namespace penstock::exec
