#include <algorithm>
#include <atomic>
#include <utility>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/exec/function.h>

#include "autodiff/recording.h"
#include "exec/eager/interpreter.h"
#include "exec/eager/variable_state.h"
#include "exec/op_call.h"
#include "exec/trace/function_state.h"
#include "exec/trace/known_elements.h"
#include "exec/trace/random_states.h"
#include "exec/trace/trace_state.h"
#include "graph/passes/simplify.h"

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

void record_call(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                 std::span<const Tensor> outputs) {
  if (!autodiff::is_recording()) return;
  if (op.grad.value != nullptr) return autodiff::record(op, inputs, attrs, outputs);
  autodiff::record_loss(op, inputs, outputs);
}

}  // namespace

TraceState::TraceState(std::string_view a_name, bool is_builder)
    : number(g_next_graph.fetch_add(1, std::memory_order_relaxed) | (is_builder ? kBuilderBit : 0)),
      name(a_name),
      keeps_all(is_builder) {}

TraceState::Slot& TraceState::slot_of(const Variable& variable) {
  if (const int32_t* number_found = slot_numbers_.find(variable.id()))
    return slots[static_cast<size_t>(*number_found)];
  const auto slot = static_cast<int32_t>(slots.size());
  const ValueId value = is_region ? value_of(outer->slot_of(variable).current)
                                  : graph.add_read(slot, variable.dtype(), variable.shape());
  slots.push_back({variable,
                   Tensor::symbol(number, value, variable.dtype(), variable.shape(), variable.id()),
                   value});
  slot_numbers_.set(variable.id(), slot);
  if (!is_region) add_open(value);
  return slots.back();
}

ValueId TraceState::read_of(uint64_t variable_id) {
  const int32_t* slot = slot_numbers_.find(variable_id);
  return slot == nullptr ? kNoIndex : slots[static_cast<size_t>(*slot)].read;
}

void TraceState::add_open(ValueId value) {
  if (graph.shape(value).is_known()) return;
  if (worlds == nullptr) worlds = std::make_unique<Worlds>();
  const bool is_input = graph.node(graph.node_of(value)).kind == NodeKind::kInput;
  worlds->add(value, graph.dtype(value), graph.shape(value), is_input);
}

Tensor TraceState::symbol(ValueId value) const {
  return Tensor::symbol(number, value, graph.dtype(value), graph.shape(value));
}

Tensors TraceState::symbols(NodeId id) const {
  const Node& node = graph.node(id);
  Tensors outputs;
  for (ValueId value = node.first_output; value < node.first_output + node.num_outputs; ++value)
    outputs.push_back(symbol(value));
  return outputs;
}

int32_t TraceState::here() {
  check_open();
  const LocateFn locate = g_locate.load(std::memory_order_relaxed);
  if (locate == nullptr) return kNoIndex;
  const SourceLine line = locate();
  return graph.add_location({line.file, line.line});
}

ValueId TraceState::value_of(const Tensor& tensor) {
  if (tensor.graph() == number) return tensor.value();
  if (const ValueId* value = constants_.find(tensor.id())) return *value;
  ValueId value;
  if (tensor.is_symbolic()) {
    const TraceState* owner = outer;
    while (owner != nullptr && owner->number != tensor.graph()) owner = owner->outer;
    if (owner == nullptr) fail_out_of_scope(tensor);
    value = capture(tensor);
  } else {
    value = is_followed_outside(tensor) ? capture(tensor) : add_constant(tensor);
  }
  constants_.set(tensor.id(), value);
  return value;
}

ValueId TraceState::capture(const Tensor& tensor) {
  const ValueId value = graph.add_input(tensor.dtype(), tensor.shape());
  captures.push_back({tensor, Tensor::symbol(number, value, tensor.dtype(), tensor.shape())});
  add_open(value);
  return value;
}

bool TraceState::is_followed_outside(const Tensor& tensor) const {
  for (const TraceState* trace = this; trace->is_region; trace = trace->outer) {
    if (trace->hide_tapes->knows(tensor)) return true;
  }
  return false;
}

ValueId TraceState::add_constant(const Tensor& tensor) { return graph.add_constant(tensor); }

void TraceState::add_inputs(const OpDef&, std::span<const Tensor* const> inputs, Attrs,
                            SmallVector<ValueId, 4>& values) {
  for (const Tensor* input : inputs) values.push_back(value_of(*input));
}

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
    const bool is_in_worlds = trace.worlds != nullptr && input.graph() == trace.number &&
                              trace.worlds->knows(input.value());
    // What infer reads, it must see before the kernel does: that is for when the function runs.
    is_open =
        is_open || (op.input(i).host ? !trace.is_world : op.compose == nullptr && is_in_worlds);
  }
  if (!is_known || (trace.keeps_all && op.compose != nullptr)) return true;
  return is_open;
}

namespace {

// Whether output `i`, of this tensor, has integers that came out the same in all worlds, and are
// not known to be that for all sizes.
bool is_coincidence(TraceState& trace, const Worlds::Outcome& outcome, size_t i,
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
  // What infer reads of values: all of them are as good as a constant.
  std::vector<std::optional<SomeInts>> elements(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!op.input(i).host || !own[i].is_symbolic()) continue;
    elements[i] = known_elements(trace, own[i]);
    if (elements[i] && are_known(*elements[i]))
      own[i] = as_tensor(*elements[i], own[i], [](size_t) { return 0; });
  }
  const TensorPointers pointers = pointers_to(own);
  if (trace.worlds == nullptr) trace.worlds = std::make_unique<Worlds>();
  const Worlds::Outcome outcome = trace.worlds->call(op, pointers, attrs, elements);
  const NodeId id = trace.graph.add_op(op, values, attrs, outcome.outputs, trace.here(),
                                       state_of_call(trace, op));
  trace.added(id);
  trace.worlds->add(trace.graph.node(id).first_output, outcome);
  Tensors outputs = trace.symbols(id);
  // Values that came out the same for the sizes of the worlds may be others for other sizes.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (is_coincidence(trace, outcome, i, outputs[i]))
      trace.worlds->add(outputs[i].value(), outputs[i].dtype(), outputs[i].shape());
  }
  record_call(op, inputs, attrs, outputs);
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

Trace::Trace(std::string_view name, Kind kind) {
  const bool is_region = kind == Kind::kRegion && t_trace != nullptr;
  const int depth = is_region ? t_trace->depth + 1 : 0;
  check_depth(depth);
  state_ = with_memory_errors("function", [&] { return std::make_unique<exec::TraceState>(name); });
  state_->hide_tapes.emplace();
  state_->was_paused = std::exchange(autodiff::t_paused, false);
  autodiff::g_defer.store(exec::defer_gradient, std::memory_order_relaxed);
  state_->outer = t_trace;
  state_->is_region = is_region;
  state_->depth = depth;
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
  if (dtype == DType::kInvalid)
    throw InvalidArgumentError(cat("[", state_->name, "] an input must have a dtype"));
  const ValueId value = state_->graph.add_input(dtype, shape);
  state_->add_open(value);
  return Tensor::symbol(state_->number, value, dtype, shape);
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
    Graph graph = drop_dead_code(std::move(trace.graph));
    if (is_closed(graph)) graph = shrink_constants(std::move(graph));
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
    exec::StateMap apart;  // the function's own draws begin when it runs
    exec::Replay replay(trace->graph, {}, variables, needed_nodes(trace->graph, {&wanted, 1}),
                        &apart);
    replay.set_assigns(exec::Replay::Assigns::kPass);
    replay.keep(wanted);
    replay.run();
    return replay.value(wanted);
  });
}

Tensor narrowed(const Tensor& tensor, const Shape& shape) {
  if (!fits(tensor.shape(), shape)) {
    throw InvalidArgumentError(
        cat("a tensor of shape ", tensor.shape(), " cannot have shape ", shape));
  }
  if (!tensor.is_symbolic() || !shape.has_rank()) return tensor;
  Shape both = shape;
  if (tensor.shape().has_rank()) {
    for (int i = 0; i < both.rank(); ++i) {
      if (both[i] == kUnknownDim) both.set(i, tensor.shape()[i]);
    }
  }
  for (exec::TraceState* trace = t_trace; trace != nullptr; trace = trace->outer) {
    if (trace->number == tensor.graph() && trace->worlds != nullptr && both != tensor.shape())
      trace->worlds->add(tensor.value(), tensor.dtype(), both);
  }
  return Tensor::symbol(tensor.graph(), tensor.value(), tensor.dtype(), both, tensor.id());
}

LeaveTraces::LeaveTraces() : before_(std::exchange(t_trace, nullptr)) {}
LeaveTraces::~LeaveTraces() { t_trace = before_; }

void set_locator(LocateFn locate) { exec::g_locate.store(locate, std::memory_order_relaxed); }

}  // namespace penstock
