#include <penstock/exec/trace.h>

#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

#include "autodiff/recording.h"
#include "exec/trace/deferred_gradients.h"
#include "exec/trace/function_state.h"
#include "exec/trace/shape_probes.h"
#include "exec/trace/trace_state.h"
#include "graph/passes/dead_code.h"
#include "graph/passes/simplify.h"

namespace penstock {

using exec::t_trace;

Trace::Trace(std::string_view name, Kind kind) {
  const bool is_region = kind == Kind::kRegion && t_trace != nullptr;
  const int depth = is_region ? t_trace->depth + 1 : 0;
  check_depth(depth);
  state_ = with_memory_errors("function", [&] {
    return std::make_unique<exec::TraceState>(name, exec::ShapeProbes::make);
  });
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
    if (trace->number == tensor.graph() && trace->open_shapes != nullptr && both != tensor.shape())
      trace->open_shapes->add(tensor.value(), tensor.dtype(), both);
  }
  return Tensor::symbol(tensor.graph(), tensor.value(), tensor.dtype(), both, tensor.id());
}

LeaveTraces::LeaveTraces() : before_(std::exchange(t_trace, nullptr)) {}
LeaveTraces::~LeaveTraces() { t_trace = before_; }

}  // namespace penstock
