#include "exec/eager/interpreter.h"

#include <numeric>
#include <optional>

#include <penstock/base/error.h>
#include <penstock/exec/variable.h>
#include <penstock/ops.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/recording.h"
#include "exec/eager/host_call.h"
#include "exec/trace/random_states.h"

namespace penstock::exec {

Interpreter::Interpreter(const Graph& graph, std::span<const Tensor* const> inputs,
                         std::span<const Variable> variables, std::vector<bool> needed,
                         ControlFn call_control, StateMap* states)
    : graph_(graph),
      inputs_(inputs),
      variables_(variables),
      needed_(std::move(needed)),
      call_control_(call_control),
      states_(states),
      uses_(graph.num_values()),
      values_(graph.num_values()) {
  for (size_t n = 0; n < graph.num_nodes(); ++n) {
    if (!needed_[n]) continue;
    const Node& node = graph.node(static_cast<NodeId>(n));
    for (ValueId input : graph.inputs(node)) ++uses_[static_cast<size_t>(input)];
    if (node.kind == NodeKind::kGradient) add_gradient_tape(static_cast<NodeId>(n));
  }
}

void Interpreter::add_gradient_tape(NodeId id) {
  taped_by_.resize(graph_.num_nodes());
  source_of_.resize(graph_.num_values());
  const Node& node = graph_.node(id);
  const GradientCall& call = graph_.gradient(node);
  const auto index = static_cast<int32_t>(gradient_tapes_.size());
  gradient_tapes_.push_back({id, std::make_unique<Tape>(Tape::Options{.watch_variables = false})});
  gradient_tapes_.back().tape->stop();
  const std::span<const ValueId> inputs = graph_.inputs(node);
  for (size_t i = 0; i < call.sources.size(); ++i)
    source_of_[static_cast<size_t>(inputs[call.first_source() + i])].push_back(index);
  for (ValueId on_way : inputs.subspan(call.first_on_way()))
    taped_by_[static_cast<size_t>(graph_.node_of(on_way))].push_back(index);
}

void Interpreter::watch(ValueId id) {
  if (source_of_.empty() || !is_differentiable(graph_.dtype(id))) return;
  for (int32_t index : source_of_[static_cast<size_t>(id)])
    gradient_tapes_[static_cast<size_t>(index)].tape->watch(value(id));
}

void Interpreter::set_apart(ValueId id, const Tensor& tensor) {
  set(id, gradient_tapes_.empty() ? tensor : identity(tensor));
}

void Interpreter::run() {
  for (size_t n = 0; n < graph_.num_nodes(); ++n) {
    if (needed_[n]) step(static_cast<NodeId>(n));
  }
}

void Interpreter::drop_use(ValueId id) {
  if (--uses_[static_cast<size_t>(id)] == 0) values_[static_cast<size_t>(id)] = Tensor();
}

// A dense gradient as a sparse one with all rows.
static Gradient all_rows(const Tensor& dense, DType indices) {
  std::vector<int64_t> numbers(static_cast<size_t>(dense.dim(0)));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto count = static_cast<int64_t>(numbers.size());
  const Tensor all = Tensor::from<int64_t>(std::span<const int64_t>(numbers), Shape{count});
  return Gradient::sparse(dense, cast(all, indices), dense.shape());
}

void Interpreter::call_gradient(NodeId id, const Node& node) {
  const GradientCall& call = graph_.gradient(node);
  const std::span<const ValueId> inputs = graph_.inputs(node);
  std::vector<Tensor> targets, dys;
  std::vector<Source> sources;
  for (size_t i = 0; i < static_cast<size_t>(call.num_targets); ++i)
    targets.push_back(value(inputs[i]));
  for (size_t i = 0; i < call.num_dys(); ++i)
    dys.push_back(value(inputs[static_cast<size_t>(call.num_targets) + i]));
  for (size_t i = 0; i < call.sources.size(); ++i)
    sources.emplace_back(value(inputs[call.first_source() + i]));
  std::vector<Gradient> gradients;
  for (GradientTape& taped : gradient_tapes_) {
    if (taped.node != id) continue;
    gradients = taped.tape->gradient(targets, sources, dys, Unconnected::kZero);
    taped.tape.reset();
  }
  ValueId next = node.first_output;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (call.sources[i] == GradientCall::Form::kNone) continue;
    if (call.sources[i] == GradientCall::Form::kDense) {
      set(next++, gradients[i].dense());
      continue;
    }
    const DType wanted = graph_.dtype(next + 1);
    const Gradient rows =
        gradients[i].is_sparse() ? gradients[i] : all_rows(gradients[i].dense(), wanted);
    set(next++, rows.values());
    set(next++, cast(rows.indices(), wanted));
  }
}

Tensors Interpreter::call_op(const Node& node, std::span<const Tensor* const> inputs) {
  const Attrs attrs = graph_.attrs(node);
  RandomStateRef state = graph_.state(node);
  if (state == nullptr) return dispatch(*node.op, inputs, attrs);
  const DrawsBy draws(states_ == nullptr ? std::move(state) : states_->of(state));
  return dispatch(*node.op, inputs, attrs);
}

void Interpreter::call(const Node& node, std::span<const Tensor* const> inputs) {
  SmallVector<OutputSpec, 2> specs;
  for (ValueId k = 0; k < node.num_outputs; ++k)
    specs.push_back({graph_.dtype(node.first_output + k), graph_.shape(node.first_output + k)});
  Tensors outputs = node.kind == NodeKind::kCall ? call_host(graph_.call(node), inputs, specs)
                    : node.kind == NodeKind::kControl
                        ? call_control_(graph_.control(node), inputs, loops_, states_)
                        : call_op(node, inputs);
  for (ValueId k = 0; k < node.num_outputs; ++k)
    set(node.first_output + k, std::move(outputs[static_cast<size_t>(k)]));
}

// Calls a node with the gradient tapes whose path it is on.
void Interpreter::call_taped(NodeId id, const Node& node) {
  const std::span<const int32_t> tapes =
      taped_by_.empty() ? std::span<const int32_t>() : taped_by_[static_cast<size_t>(id)];
  // These tapes record even if the caller's are paused.
  const bool was_paused = !tapes.empty() && autodiff::t_paused;
  std::optional<HideTapes> hide;
  if (was_paused) {
    hide.emplace();
    autodiff::t_paused = false;
  }
  struct Restore {
    bool wanted;
    ~Restore() {
      if (wanted) autodiff::t_paused = true;
    }
  } restore{was_paused};
  for (int32_t index : tapes) gradient_tapes_[static_cast<size_t>(index)].tape->resume();
  if (node.kind == NodeKind::kGradient) {
    call_gradient(id, node);
  } else {
    SmallVector<const Tensor*, 4> arguments;
    for (ValueId input : graph_.inputs(node)) arguments.push_back(&value(input));
    call(node, arguments);
  }
  for (int32_t index : tapes) gradient_tapes_[static_cast<size_t>(index)].tape->stop();
}

const Tensor& Interpreter::input(int32_t index) const {
  if (static_cast<size_t>(index) >= inputs_.size()) {
    throw InvalidArgumentError(
        "a value that is needed while a function is traced depends on the function's inputs");
  }
  return *inputs_[static_cast<size_t>(index)];
}

void Interpreter::read(const Node& node) {
  // Each of several reads has its own gradient.
  const Tensor held = variables_[static_cast<size_t>(node.index)].value();
  const bool is_source =
      !source_of_.empty() && !source_of_[static_cast<size_t>(node.first_output)].empty();
  set(node.first_output, is_source ? identity(held) : held);
}

void Interpreter::assign(const Node& node) {
  const Tensor assigned = value(graph_.inputs(node)[0]);
  if (assigns_ == Assigns::kPass) return set_apart(node.first_output, assigned);
  Variable variable = variables_[static_cast<size_t>(node.index)];
  variable.assign(assigned);
  if (assigns_ == Assigns::kNow) return set_apart(node.first_output, assigned);
  set(node.first_output, variable.value());
}

void Interpreter::step(NodeId id) {
  const Node& node = graph_.node(id);
  switch (node.kind) {
    case NodeKind::kInput:
      set_apart(node.first_output, input(node.index));
      break;
    case NodeKind::kConstant:
      set_apart(node.first_output, graph_.constant(node.index));
      break;
    case NodeKind::kRead:
      read(node);
      break;
    case NodeKind::kAssign:
      assign(node);
      break;
    case NodeKind::kGradient:
    case NodeKind::kCall:
    case NodeKind::kControl:
    case NodeKind::kOp:
      call_taped(id, node);
      break;
  }
  for (ValueId k = 0; k < node.num_outputs; ++k) {
    watch(node.first_output + k);
    if (uses_[static_cast<size_t>(node.first_output + k)] == 0)
      values_[static_cast<size_t>(node.first_output + k)] = Tensor();
  }
  for (ValueId used : graph_.inputs(node)) drop_use(used);
}

}  // namespace penstock::exec
