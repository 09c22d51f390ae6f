#include "exec/trace/trace_op.h"

#include <algorithm>

#include "autodiff/recording.h"
#include "exec/op_call.h"
#include "exec/trace/known_elements.h"
#include "exec/trace/random_states.h"

namespace penstock::exec {
namespace {

// The largest result computed at trace time; larger ones belong in the plan.
constexpr int64_t kMostBytesNow = 1024;

int64_t output_bytes(InferContext& infer) {
  int64_t bytes = 0;
  for (const OutputSpec& spec : infer.outputs()) {
    if (!spec.shape.is_known()) return INT64_MAX;
    if (spec.shares_input < 0) bytes += spec.shape.num_bytes(dtype_size(spec.dtype));
  }
  return bytes;
}

void record_call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                 std::span<const Tensor> outputs) {
  if (!autodiff::is_recording()) return;
  if (op.grad.value != nullptr) return autodiff::record(op, inputs, attrs, outputs);
  autodiff::record_loss(op, inputs, outputs);
}

}  // namespace

std::optional<Tensors> trace_op(TraceState& trace, const OpDef& op,
                                std::span<const Tensor* const> inputs, Attrs attrs,
                                InferContext& infer) {
  bool depends = trace.keeps_all || op.traits.has(Trait::kStateful);
  if (!op.traits.has(Trait::kShapeOnly)) {
    for (const Tensor* input : inputs) depends = depends || input->is_symbolic();
  }
  if (!depends && output_bytes(infer) <= kMostBytesNow) return std::nullopt;
  SmallVector<ValueId, 4> values;
  trace.add_inputs(op, inputs, attrs, values);
  for (OutputSpec& spec : infer.outputs()) {
    if (spec.is_bound) spec.shape.set(0, kUnknownDim);
  }
  const NodeId id = trace.graph.add_op(op, values, attrs, infer.outputs(), trace.here(),
                                       state_of_call(trace, op));
  trace.added(id);
  Tensors outputs = trace.symbols(id);
  for (const Tensor& output : outputs) trace.add_open(output.value());
  record_call(op, inputs, attrs, outputs);
  return outputs;
}

KnownInputs::KnownInputs(TraceState& trace, const OpDef& op,
                         std::span<const Tensor* const> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    pointers_.push_back(inputs[i]);
    if (!trace.keeps_all || !op.input(i).host || !inputs[i]->is_symbolic()) continue;
    if (std::optional<Tensor> value = trace.known_value(*inputs[i])) {
      values_.push_back(std::move(*value));
      pointers_.back() = &values_.back();
    }
  }
}

bool is_open_call(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs) {
  bool is_known = true;
  bool is_open = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = *inputs[i];
    is_known = is_known && input.shape().is_known();
    if (!input.is_symbolic()) continue;
    const bool is_open_value = trace.open_shapes != nullptr && input.graph() == trace.number &&
                               trace.open_shapes->knows(input.value());
    // infer must see its host inputs before the kernel runs: that is possible only at run time.
    is_open =
        is_open || (op.input(i).host ? !trace.is_probe : op.compose == nullptr && is_open_value);
  }
  if (!is_known || (trace.keeps_all && op.compose != nullptr)) return true;
  return is_open;
}

namespace {

// Whether output `i`, this tensor, has integers that are equal in all probes but not known to be so
// for all sizes.
bool is_coincidence(TraceState& trace, const OpenShapes::Outcome& outcome, size_t i,
                    const Tensor& tensor) {
  if (tensor.dtype() != DType::kInt32 && tensor.dtype() != DType::kInt64) return false;
  const Tensor* first = nullptr;
  for (const Tensors& there : outcome.tensors) {
    if (i >= there.size()) continue;
    if (!there[i].has_data() || there[i].shape() != tensor.shape()) return false;
    if (first == nullptr) first = &there[i];
  }
  if (first == nullptr) return false;
  std::vector<size_t> same;
  for (int64_t k = 0; k < first->num_elements(); ++k) {
    const bool is_same = std::ranges::all_of(outcome.tensors, [&](const Tensors& there) {
      return i >= there.size() || there[i].number_at(k) == first->number_at(k);
    });
    if (is_same) same.push_back(static_cast<size_t>(k));
  }
  if (same.empty()) return false;
  const std::optional<SomeInts> elements = known_elements(trace, tensor);
  return !elements || std::ranges::any_of(same, [&](size_t k) { return !(*elements)[k]; });
}

}  // namespace

Tensors trace_open(TraceState& trace, const OpDef& op, std::span<const Tensor* const> inputs,
                   Attrs attrs) {
  SmallVector<ValueId, 4> values;
  SmallVector<Tensor, 4> own;  // as values of this trace
  trace.add_inputs(op, inputs, attrs, values);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = *inputs[i];
    own.push_back(input.is_symbolic()
                      ? Tensor::symbol(trace.number, values[i], input.dtype(), input.shape())
                      : input);
  }
  // Host inputs with all elements known are as good as constants.
  std::vector<std::optional<SomeInts>> elements(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!op.input(i).host || !own[i].is_symbolic()) continue;
    elements[i] = known_elements(trace, own[i]);
    if (elements[i] && are_known(*elements[i]))
      own[i] = as_tensor(*elements[i], own[i], [](size_t) { return 0; });
  }
  const TensorPointers pointers = pointers_to(own);
  const OpenShapes::Outcome outcome = trace.open().call(op, pointers, attrs, elements);
  const NodeId id = trace.graph.add_op(op, values, attrs, outcome.outputs, trace.here(),
                                       state_of_call(trace, op));
  trace.added(id);
  trace.open_shapes->add(trace.graph.node(id).first_output, outcome);
  Tensors outputs = trace.symbols(id);
  // Values that are equal for all sizes of the probes may differ for other sizes.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (is_coincidence(trace, outcome, i, outputs[i]))
      trace.open_shapes->add(outputs[i].value(), outputs[i].dtype(), outputs[i].shape());
  }
  record_call(op, inputs, attrs, outputs);
  return outputs;
}

}  // namespace penstock::exec
