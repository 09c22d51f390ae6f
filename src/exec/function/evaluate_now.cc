#include <penstock/exec/evaluate_now.h>

#include <penstock/base/error.h>
#include <penstock/exec/trace.h>

#include "exec/control/control_calls.h"
#include "exec/eager/interpreter.h"
#include "exec/trace/trace_state.h"

namespace penstock {

Tensor evaluate_now(const Tensor& tensor) {
  if (!tensor.is_symbolic()) return tensor;
  exec::TraceState* trace = exec::t_trace;
  while (trace != nullptr && trace->number != tensor.graph()) trace = trace->outer;
  if (trace == nullptr) exec::fail_out_of_scope(tensor);
  return with_memory_errors("function", [&] {
    const LeaveTraces leave;
    std::vector<Variable> variables;
    for (const exec::TraceState::Slot& slot : trace->slots) variables.push_back(slot.variable);
    const ValueId wanted = tensor.value();
    exec::StateMap apart;  // the function's own draws begin when it runs
    exec::Interpreter interpreter(trace->graph, {}, variables,
                                  needed_nodes(trace->graph, {&wanted, 1}), exec::call_control,
                                  &apart);
    interpreter.set_assigns(exec::Interpreter::Assigns::kPass);
    interpreter.keep(wanted);
    interpreter.run();
    return interpreter.value(wanted);
  });
}

}  // namespace penstock
