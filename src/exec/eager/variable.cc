#include <penstock/exec/variable.h>

#include <cstring>
#include <stdexcept>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/recording.h"
#include "exec/eager/variable_state.h"
#include "exec/trace/trace_state.h"

namespace penstock {
namespace {

void check_fits(const Variable::State& state, const Tensor& tensor, std::string_view action) {
  if (!tensor.defined() || tensor.dtype() != state.dtype) {
    throw TypeError(cat("[", action, "] variable '", state.name, "' is ", state.dtype,
                        ", but the value is ", tensor.dtype()));
  }
  if (!fits(tensor.shape(), state.shape)) {
    throw InvalidArgumentError(cat("[", action, "] variable '", state.name, "' has shape ",
                                   state.shape, ", but the value has ", tensor.shape()));
  }
}

// An added tensor must have the value's current shape, if the variable's shape is open. Pre: the
// mutex is held.
void check_same_shape(const Variable::State& state, const Tensor& tensor, std::string_view action) {
  if (tensor.shape() == state.value.shape()) return;
  if (exec::t_trace != nullptr && fits(tensor.shape(), state.shape)) return;  // checked by the op
  throw InvalidArgumentError(cat("[", action, "] the value of variable '", state.name,
                                 "' has shape ", state.value.shape(), " now, but the delta has ",
                                 tensor.shape()));
}

// A buffer for the variable: the tensor's own if it was donated and nobody else holds it.
Tensor owned(const Operand& operand, ledger::Owner owner) {
  const Tensor& tensor = operand.tensor();
  if (operand.is_donated() && tensor.can_be_overwritten() && tensor.buffer()->tag != Tag::kForeign)
    return tensor;
  return tensor.copy(Tag::kVariable, owner);
}

Tensor as_column(const Tensor& indices) {
  return reshape(indices, shape_tensor(Shape{indices.num_elements(), 1}));
}

}  // namespace

Variable::State::~State() {
  value = Tensor();
  ledger::remove_owner(owner);
}

namespace {

// A graph under construction has its own variables, whose values belong to a session.
void check_may_be_used() {
  if (exec::t_trace->keeps_all)
    throw std::runtime_error("Attempting to capture an EagerTensor without building a function.");
}

}  // namespace

void Variable::State::check_has_value() const {
  if (!is_stand_in || exec::t_trace != nullptr) return;
  throw FailedPreconditionError(cat("variable '", name,
                                    "' is an argument of a function, and has a value only inside "
                                    "of it"));
}

Tensor& Variable::State::current() {
  check_has_value();
  if (exec::t_trace == nullptr) return value;
  check_may_be_used();
  return exec::t_trace->slot_of(Variable(shared_from_this())).current;
}

void Variable::State::set(Tensor tensor) {
  if (exec::t_trace != nullptr) {
    check_may_be_used();
    return exec::t_trace->set_current(Variable(shared_from_this()), tensor);
  }
  value = Tensor::over(tensor.buffer(), tensor.offset(), dtype, tensor.shape(), id);
  Buffer& buffer = *value.buffer().get();
  if (buffer.tag != Tag::kVariable || buffer.owner != owner)
    retag_buffer(buffer, Tag::kVariable, owner);
}

Variable::Variable(const Operand& initial, const Options& options) {
  const Tensor& tensor = initial.tensor();
  if (!tensor.defined() || !tensor.has_data()) {
    throw InvalidArgumentError(cat("variable '", options.name, "' needs an initial value"));
  }
  with_memory_errors("Variable", [&] {
    state_ = std::make_shared<State>();
    state_->name = options.name;
    state_->trainable = options.trainable;
    state_->id = new_id();
    state_->owner = ledger::add_owner(options.name, ledger::OwnerKind::kVariable);
    state_->dtype = tensor.dtype();
    state_->shape = options.shape.value_or(tensor.shape());
    check_fits(*state_, tensor, "Variable");
    state_->set(owned(initial, state_->owner));
  });
}

const std::string& Variable::name() const { return state_->name; }
bool Variable::trainable() const { return state_->trainable; }
DType Variable::dtype() const { return state_->dtype; }
const Shape& Variable::shape() const { return state_->shape; }
Shape Variable::value_shape() const {
  if (state_->shape.is_known()) return state_->shape;
  const std::lock_guard lock(state_->mutex);
  return state_->value.shape();
}
uint64_t Variable::id() const { return state_->id; }

Tensor Variable::value() const {
  Tensor now;
  {
    const std::lock_guard lock(state_->mutex);
    now = state_->current();
  }
  if (!autodiff::is_recording() || !is_differentiable(state_->dtype))
    return now.shared_as(now.shape());
  if (state_->trainable) autodiff::watch_variable(state_->id);
  return identity(now);  // recorded: from the variable's id to a fresh one
}

void Variable::assign(const Operand& operand) {
  const Tensor& tensor = operand.tensor();
  check_fits(*state_, tensor, "assign");
  state_->check_has_value();
  const std::lock_guard lock(state_->mutex);
  if (exec::t_trace != nullptr) return state_->set(tensor);
  if (tensor.is_symbolic()) exec::fail_out_of_scope(tensor);
  Tensor& value = state_->value;
  const bool in_place = value.shape() == tensor.shape() && value.can_be_overwritten() &&
                        tensor.raw() != value.raw() &&
                        !(operand.is_donated() && tensor.can_be_overwritten());
  if (in_place) {
    std::memcpy(value.raw(), tensor.raw(), static_cast<size_t>(value.num_bytes()));
  } else {
    state_->set(owned(operand, state_->owner));
  }
}

void Variable::overwrite(const Shape& shape, const std::function<void(void*, int64_t)>& fill) {
  if (!shape.is_known() || !fits(shape, state_->shape)) {
    throw InvalidArgumentError(cat("[assign] variable '", state_->name, "' has shape ",
                                   state_->shape, ", but the value has ", shape));
  }
  if (state_->dtype == DType::kString)
    throw TypeError(
        cat("[assign] variable '", state_->name, "' holds strings, which are no bytes"));
  const std::lock_guard lock(state_->mutex);
  Tensor& value = state_->value;
  if (exec::t_trace == nullptr && value.shape() == shape && value.can_be_overwritten())
    return fill(value.raw(), value.num_bytes());
  const Tensor fresh = Tensor::empty(state_->dtype, shape, Tag::kVariable, state_->owner);
  fill(fresh.raw(), fresh.num_bytes());
  state_->set(fresh);
}

void Variable::assign_add(const Operand& delta) {
  check_fits(*state_, delta.tensor(), "assign_add");
  const PauseRecording pause;
  const std::lock_guard lock(state_->mutex);
  check_same_shape(*state_, delta.tensor(), "assign_add");
  state_->set(add(std::move(state_->current()), delta.tensor()));
}

void Variable::assign_sub(const Operand& delta) {
  check_fits(*state_, delta.tensor(), "assign_sub");
  const PauseRecording pause;
  const std::lock_guard lock(state_->mutex);
  check_same_shape(*state_, delta.tensor(), "assign_sub");
  state_->set(subtract(std::move(state_->current()), delta.tensor()));
}

void Variable::scatter_update(const Operand& indices, const Operand& updates) {
  const PauseRecording pause;
  const Tensor rows = as_column(indices.tensor());
  const std::lock_guard lock(state_->mutex);
  state_->set(tensor_scatter_update(std::move(state_->current()), rows, updates.tensor()));
}

void Variable::scatter_add(const Operand& indices, const Operand& updates) {
  const PauseRecording pause;
  const Tensor rows = as_column(indices.tensor());
  const std::lock_guard lock(state_->mutex);
  state_->set(tensor_scatter_add(std::move(state_->current()), rows, updates.tensor()));
}

void Variable::scatter_sub(const Operand& indices, const Operand& updates) {
  const PauseRecording pause;
  const Tensor rows = as_column(indices.tensor());
  const std::lock_guard lock(state_->mutex);
  state_->set(tensor_scatter_sub(std::move(state_->current()), rows, updates.tensor()));
}

void Variable::assign_slice(const Operand& begin, const Operand& end, const Operand& strides,
                            const Operand& value, const SliceMasks& masks) {
  const PauseRecording pause;
  const std::lock_guard lock(state_->mutex);
  state_->set(tensor_strided_slice_update(
      std::move(state_->current()), begin.tensor(), end.tensor(), strides.tensor(), value.tensor(),
      masks.begin, masks.end, masks.ellipsis, masks.new_axis, masks.shrink_axis));
}

void Variable::update(const OpDef& op, std::span<const Tensor* const> others, Attrs attrs) {
  const PauseRecording pause;
  const std::lock_guard lock(state_->mutex);
  SmallVector<const Tensor*, 6> inputs{&state_->current()};
  for (const Tensor* other : others) inputs.push_back(other);
  Tensors results = dispatch(op, inputs, attrs, 1);
  // A result that does not fit has not overwritten the value.
  check_fits(*state_, results[0], op.name);
  state_->set(std::move(results[0]));
}

}  // namespace penstock
