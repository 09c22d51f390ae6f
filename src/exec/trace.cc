#include <atomic>
#include <utility>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/function.h>

#include "autodiff/recording.h"
#include "exec/function_state.h"
#include "exec/replay.h"
#include "exec/trace_state.h"
#include "exec/variable_state.h"
#include "graph/simplify.h"

namespace penstock {
namespace exec {

thread_local TraceState* t_trace = nullptr;

namespace {

// What runs at trace time gives at most so many bytes: larger results belong into the plan.
constexpr int64_t kMostBytesNow = 1024;

std::atomic<uint32_t> g_next_graph{1};
std::atomic<LocateFn> g_locate{nullptr};

int64_t output_bytes(InferContext& infer) {
  int64_t bytes = 0;
  for (const OutputSpec& spec : infer.outputs()) {
    if (!spec.shape.is_known()) return INT64_MAX;
    if (spec.shares_input < 0) bytes += spec.shape.num_bytes(dtype_size(spec.dtype));
  }
  return bytes;
}

void check_static(const OpDef& op, InferContext& infer) {
  bool is_static = !op.traits.has(Trait::kDynamicShape);
  for (const OutputSpec& spec : infer.outputs()) {
    is_static = is_static && spec.shape.is_known() && spec.dtype != DType::kString;
  }
  if (is_static) return;
  throw UnimplementedError(cat("[", op.name.value,
                               "] inside a function the sizes of results must be known when it is "
                               "traced, and strings are not supported"));
}

}  // namespace

TraceState::TraceState(std::string_view a_name)
    : number(g_next_graph.fetch_add(1, std::memory_order_relaxed)), name(a_name) {}

TraceState::Slot& TraceState::slot_of(const Variable& variable) {
  if (const int32_t* number_found = slot_numbers_.find(variable.id()))
    return slots[static_cast<size_t>(*number_found)];
  if (!variable.shape().is_known()) {
    throw UnimplementedError(cat("inside a function the variable '", variable.name(),
                                 "' cannot have the open shape ", variable.shape()));
  }
  const auto slot = static_cast<int32_t>(slots.size());
  const ValueId value = graph.add_read(slot, variable.dtype(), variable.shape());
  slots.push_back(
      {variable, Tensor::symbol(number, value, variable.dtype(), variable.shape(), variable.id())});
  slot_numbers_.set(variable.id(), slot);
  return slots.back();
}

ValueId TraceState::value_of(const Tensor& tensor) {
  if (tensor.graph() == number) return tensor.value();
  if (const ValueId* value = constants_.find(tensor.id())) return *value;
  ValueId value;
  if (tensor.is_symbolic()) {
    const TraceState* owner = outer;
    while (owner != nullptr && owner->number != tensor.graph()) owner = owner->outer;
    if (owner == nullptr) fail_out_of_scope(tensor);
    value = graph.add_input(tensor.dtype(), tensor.shape());
    captures.push_back({tensor, Tensor::symbol(number, value, tensor.dtype(), tensor.shape())});
  } else {
    value = graph.add_constant(tensor);
  }
  constants_.set(tensor.id(), value);
  return value;
}

std::optional<Tensors> trace_op(TraceState& trace, const OpDef& op,
                                std::span<const Tensor* const> inputs, Attrs attrs,
                                InferContext& infer) {
  bool depends = op.traits.has(Trait::kStateful);
  if (!op.traits.has(Trait::kShapeOnly)) {
    for (const Tensor* input : inputs) depends = depends || input->is_symbolic();
  }
  if (!depends && output_bytes(infer) <= kMostBytesNow) return std::nullopt;
  check_static(op, infer);
  SmallVector<ValueId, 4> values;
  for (const Tensor* input : inputs) values.push_back(trace.value_of(*input));
  int32_t location = kNoIndex;
  if (const LocateFn locate = g_locate.load(std::memory_order_relaxed)) {
    const SourceLine line = locate();
    location = trace.graph.add_location({line.file, line.line});
  }
  const Node& node =
      trace.graph.node(trace.graph.add_op(op, values, attrs, infer.outputs(), location));
  Tensors outputs;
  for (ValueId i = 0; i < node.num_outputs; ++i) {
    const ValueId value = node.first_output + i;
    outputs.push_back(
        Tensor::symbol(trace.number, value, trace.graph.dtype(value), trace.graph.shape(value)));
  }
  if (autodiff::is_recording() && op.grad.value != nullptr)
    autodiff::record(op, inputs, attrs, outputs);
  return outputs;
}

void fail_out_of_scope(const Tensor& tensor) {
  std::string shape;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (i > 0) shape += ", ";
    shape += cat(tensor.dim(i));
  }
  if (tensor.rank() == 1) shape += ",";
  throw OutOfScopeError(
      cat("<tf.Tensor 'Tensor_", tensor.id(), ":0' shape=(", shape, ") dtype=", tensor.dtype(),
          "> is out of scope and cannot be used here. Use return values, explicit Python locals or "
          "TensorFlow collections to access it.\nPlease see https://www.tensorflow.org/guide/"
          "function#all_outputs_of_a_tffunction_must_be_return_values for more information."));
}

}  // namespace exec

using exec::t_trace;

Trace::Trace(std::string_view name) {
  state_ = with_memory_errors("function", [&] { return std::make_unique<exec::TraceState>(name); });
  state_->was_paused = std::exchange(autodiff::t_paused, false);
  state_->outer = t_trace;
  t_trace = state_.get();
}

Trace::~Trace() { close(); }

void Trace::close() {
  if (state_ == nullptr) return;
  t_trace = state_->outer;
  autodiff::t_paused = state_->was_paused;
  state_.reset();
}

bool Trace::is_open() { return t_trace != nullptr; }

Tensor Trace::input(DType dtype, const Shape& shape) {
  if (!shape.is_known() || dtype == DType::kInvalid || dtype == DType::kString) {
    throw UnimplementedError(
        cat("[", state_->name, "] a function's input cannot be ", dtype, shape));
  }
  return Tensor::symbol(state_->number, state_->graph.add_input(dtype, shape), dtype, shape);
}

Function Trace::finish(std::span<const Tensor> outputs) {
  return with_memory_errors("function", [&] {
    exec::TraceState& trace = *state_;
    SmallVector<ValueId, 4> values;
    for (const Tensor& output : outputs) values.push_back(trace.value_of(output));
    std::vector<Write> writes;
    std::vector<Variable> variables;
    for (size_t i = 0; i < trace.slots.size(); ++i) {
      const exec::TraceState::Slot& slot = trace.slots[i];
      variables.push_back(slot.variable);
      if (slot.is_written)
        writes.push_back({static_cast<int32_t>(i), trace.value_of(slot.current)});
    }
    trace.graph.set_outputs(values);
    trace.graph.set_writes(writes);
    std::vector<Tensor> captured;
    for (const auto& capture : trace.captures) captured.push_back(capture.outer);
    Graph graph = shrink_constants(drop_dead_code(std::move(trace.graph)));
    auto state = std::make_shared<exec::FunctionState>(trace.name, std::move(graph),
                                                       std::move(variables), std::move(captured));
    close();
    return Function(std::move(state));
  });
}

Tensor evaluate_now(const Tensor& tensor) {
  if (!tensor.is_symbolic()) return tensor;
  exec::TraceState* trace = t_trace;
  while (trace != nullptr && trace->number != tensor.graph()) trace = trace->outer;
  if (trace == nullptr) exec::fail_out_of_scope(tensor);
  return with_memory_errors("function", [&] {
    const LeaveTraces leave;
    std::vector<Variable> variables;
    for (const exec::TraceState::Slot& slot : trace->slots) variables.push_back(slot.variable);
    const ValueId wanted = tensor.value();
    return exec::replay(trace->graph, {}, variables, {&wanted, 1})
        .values[static_cast<size_t>(wanted)];
  });
}

LeaveTraces::LeaveTraces() : before_(std::exchange(t_trace, nullptr)) {}
LeaveTraces::~LeaveTraces() { t_trace = before_; }

void set_locator(LocateFn locate) { exec::g_locate.store(locate, std::memory_order_relaxed); }

}  // namespace penstock
