#include "exec/eager/host_call.h"

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/host_call.h>

#include "exec/trace/deferred_gradients.h"
#include "exec/trace/trace_state.h"

namespace penstock {
namespace exec {
namespace {

void check_output(const HostCall& call, size_t i, const Tensor& output, const OutputSpec& spec) {
  if (output.is_symbolic()) fail_out_of_scope(output);
  if (output.defined() && output.dtype() == spec.dtype && fits(output.shape(), spec.shape)) return;
  throw InvalidArgumentError(cat("[", call.name, "] output ", i, " must be ", spec.dtype,
                                 spec.shape, ", but is ", output.dtype(), output.shape()));
}

Tensors run_now(const HostCall& call, std::span<const Tensor* const> inputs,
                std::span<const OutputSpec> outputs) {
  for (const Tensor* input : inputs) {
    if (input->is_symbolic()) fail_out_of_scope(*input);
  }
  Tensors results = call.run(inputs);
  if (results.size() != outputs.size()) {
    throw InvalidArgumentError(cat("[", call.name, "] gave ", results.size(), " tensors, but ",
                                   outputs.size(), " were announced"));
  }
  for (size_t i = 0; i < results.size(); ++i) check_output(call, i, results[i], outputs[i]);
  return results;
}

}  // namespace

Tensors call_host(const std::shared_ptr<const HostCall>& call,
                  std::span<const Tensor* const> inputs, std::span<const OutputSpec> outputs) {
  if (t_trace == nullptr) return run_now(*call, inputs, outputs);
  TraceState& trace = *t_trace;
  SmallVector<ValueId, 4> values;
  for (const Tensor* input : inputs) values.push_back(trace.value_of(*input));
  const NodeId id = trace.graph.add_call(call, values, outputs, trace.here());
  trace.added(id);
  const Tensors results = trace.symbols(id);
  for (const Tensor& output : results) trace.add_open(output.value());
  if (call->passes_gradients) {
    // Its outputs and gradient are known only when it runs.
    trace.open();
    record_as_unknown(inputs, results);
  }
  return results;
}

}  // namespace exec

Tensors call_host(std::string_view name, HostFunction run, std::span<const Tensor* const> inputs,
                  std::span<const HostOutput> outputs, bool passes_gradients) {
  return with_memory_errors(name, [&] {
    SmallVector<OutputSpec, 2> specs;
    for (const HostOutput& output : outputs) specs.push_back({output.dtype, output.shape});
    const auto call = std::make_shared<const HostCall>(
        HostCall{std::string(name), std::move(run), passes_gradients});
    return exec::call_host(call, inputs, specs);
  });
}

}  // namespace penstock
