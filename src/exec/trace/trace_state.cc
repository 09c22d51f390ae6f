#include "exec/trace/trace_state.h"

#include <atomic>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/trace.h>
#include <penstock/ops.h>

#include "exec/trace/source_line.h"

namespace penstock::exec {

thread_local TraceState* t_trace = nullptr;

namespace {

std::atomic<uint32_t> g_next_graph{1};

}  // namespace

TraceState::TraceState(std::string_view a_name, MakeOpenShapes make, bool is_builder)
    : number(g_next_graph.fetch_add(1, std::memory_order_relaxed) | (is_builder ? kBuilderBit : 0)),
      name(a_name),
      keeps_all(is_builder),
      make_open_shapes_(make) {}

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

OpenShapes& TraceState::open() {
  if (open_shapes == nullptr) open_shapes = make_open_shapes_();
  return *open_shapes;
}

void TraceState::add_open(ValueId value) {
  if (graph.shape(value).is_known()) return;
  const bool is_input = graph.node(graph.node_of(value)).kind == NodeKind::kInput;
  open().add(value, graph.dtype(value), graph.shape(value), is_input);
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
  const std::optional<SourceLine> line = current_line();
  return line ? graph.add_location({line->file, line->line}) : kNoIndex;
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

// Gradients end at the value assigned to a variable: gradients at later reads are the variable's
// own. The value has the variable's shape, or the assignment fails at run time.
void TraceState::set_current(const Variable& variable, const Tensor& set_to) {
  Slot& slot = slot_of(variable);
  const Tensor tensor = narrowed(set_to, variable.shape());
  ValueId value;
  if (is_region || !tensor.shape().is_known()) {
    value = value_of(stop_gradient(tensor));
  } else {
    value = value_of(tensor);
    if (slot.is_written && slot.current.value() == value) return;
    const int32_t index = graph.node(graph.node_of(slot.read)).index;
    const NodeId id = graph.add_assign(index, value, here());
    value = graph.node(id).first_output;
  }
  slot.current = Tensor::symbol(number, value, variable.dtype(), tensor.shape(), variable.id());
  slot.is_written = true;
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

}  // namespace penstock::exec
