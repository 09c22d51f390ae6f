#include <penstock/exec/graph_builder.h>

#include <algorithm>
#include <cctype>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops.h>

#include "exec/v1/builder_state.h"
#include "exec/v1/session_needs.h"
#include "ops/op_defs.h"

namespace penstock {

using exec::BuilderState;
using exec::t_trace;

GraphBuilder::GraphBuilder()
    : state_(with_memory_errors("Graph", [] { return std::make_shared<BuilderState>(); })) {}
GraphBuilder::~GraphBuilder() = default;

GraphBuilder::Entered::Entered(GraphBuilder& builder)
    : before_(std::exchange(t_trace, builder.state_.get())) {}
GraphBuilder::Entered::~Entered() { t_trace = before_; }

bool GraphBuilder::is_entered() { return t_trace != nullptr && t_trace->keeps_all; }
std::optional<Tensor> GraphBuilder::value_now(const Tensor& tensor) {
  return is_entered() ? t_trace->known_value(tensor) : std::nullopt;
}
bool GraphBuilder::owns(const Tensor& tensor) { return (tensor.graph() & exec::kBuilderBit) != 0; }

GraphBuilder::Call::Call(const OpDef& op, std::string_view name)
    : state_(is_entered() ? static_cast<BuilderState*>(t_trace) : nullptr) {
  if (state_ == nullptr) return;
  const exec::Name reserved = state_->take_call_name(op, name);
  text_ = reserved.text;
  number_ = reserved.number;
  is_given_ = state_->is_given_name;
  state_->scope_text();
  outer_ = std::move(state_->scope.text);
  state_->scope = {"", reserved};
}
GraphBuilder::Call::~Call() {
  if (state_ == nullptr) return;
  state_->scope = {std::move(outer_), {}};
  state_->next_taken.reset();
}
std::string GraphBuilder::Call::problem_with(std::string_view name) {
  auto& state = static_cast<BuilderState&>(*t_trace);
  if (name.ends_with('/')) {
    name.remove_suffix(1);
    return state.table.has_node_of(name) ? cat("Duplicate node name in graph: '", name, "'") : "";
  }
  const bool is_root = state.scope_text().empty();
  const auto may_be = [](unsigned char c, std::string_view others) {
    return std::isalnum(c) != 0 || others.find(static_cast<char>(c)) != std::string_view::npos;
  };
  const bool is_valid = std::ranges::all_of(name, [&](char c) { return may_be(c, "_.\\/>-"); }) &&
                        (!is_root || name.empty() || may_be(name[0], "."));
  if (is_valid) return "";
  const std::string_view first = is_root ? "[A-Za-z0-9.]" : "", kind = is_root ? "root " : "";
  return cat("'", name, "' is not a valid ", kind, "scope name. A ", kind,
             "scope name has to match the following pattern: ^", first, "[A-Za-z0-9_.\\\\/>-]*$");
}
void GraphBuilder::Call::set_next() {
  if (state_ == nullptr) return;
  state_->next_taken = exec::Name{text_, number_};
  state_->is_given_name = is_given_;
}

uint32_t GraphBuilder::number() const { return state_->number; }

Tensor GraphBuilder::placeholder(DType dtype, const Shape& shape, std::string_view name) {
  state_->check_open();
  state_->next_name = name;
  const ValueId value = state_->graph.add_input(dtype, shape);
  state_->graph.set_location(state_->graph.node_of(value), state_->here());
  state_->add_open(value);
  state_->added(state_->graph.node_of(value));
  return Tensor::symbol(state_->number, value, dtype, shape);
}

Tensor GraphBuilder::constant(const Tensor& tensor, std::string_view name) {
  return with_memory_errors("Const", [&] {
    state_->check_open();
    state_->next_name = name;
    const ValueId value = state_->add_constant(tensor);
    return Tensor::symbol(state_->number, value, tensor.dtype(), tensor.shape());
  });
}

int32_t GraphBuilder::no_op(std::string_view name) {
  state_->check_open();
  // Never destroyed: a daemon thread may be here while the process exits.
  static const auto& call = *new std::shared_ptr<const HostCall>(std::make_shared<const HostCall>(
      HostCall{"NoOp", [](std::span<const Tensor* const>) { return Tensors(); }}));
  state_->next_name = name;
  const NodeId id = state_->graph.add_call(call, {}, {}, state_->here());
  state_->added(id);
  return id;
}

int32_t GraphBuilder::add_variable(DType dtype, const Shape& shape) {
  state_->variables.push_back({dtype, shape, {}});
  return static_cast<int32_t>(state_->variables.size() - 1);
}

Tensor GraphBuilder::read(int32_t variable, std::string_view name) {
  state_->check_open();
  BuilderState::VariableSlot& slot = state_->variables[static_cast<size_t>(variable)];
  state_->next_name = name;
  const ValueId value = state_->graph.add_read(variable, slot.dtype, slot.shape);
  state_->graph.set_location(state_->graph.node_of(value), state_->here());
  slot.reads.push_back(value);
  state_->add_open(value);
  state_->added(state_->graph.node_of(value));
  return Tensor::symbol(state_->number, value, slot.dtype, slot.shape);
}

Tensor GraphBuilder::assign(int32_t variable, const Tensor& value, std::string_view name) {
  state_->check_open();
  const ValueId assigned = state_->value_of(value);
  state_->next_name = name;
  const NodeId id = state_->graph.add_assign(variable, assigned, state_->here());
  state_->added(id);
  const Tensor result = state_->symbols(id)[0];
  if (state_->open_shapes != nullptr && value.graph() == state_->number)
    state_->open_shapes->add_like(result.value(), value.value());
  return result;
}

std::vector<Tensor> GraphBuilder::after_effects(int32_t first, std::span<const Tensor> tensors) {
  std::vector<Tensor> results(tensors.begin(), tensors.end());
  state_->called(first, results);
  return results;
}

std::vector<Tensor> GraphBuilder::reads_of(int32_t variable) const {
  std::vector<Tensor> reads;
  for (ValueId value : state_->variables[static_cast<size_t>(variable)].reads)
    reads.push_back(state_->symbol(value));
  return reads;
}

void GraphBuilder::set_scope(std::string_view scope) { state_->scope = {std::string(scope), {}}; }
std::string GraphBuilder::scope() const { return state_->scope_text(); }
std::string GraphBuilder::unique_name(std::string_view name) {
  return state_->table.text_of(state_->table.take(name));
}
std::string GraphBuilder::next_name(std::string_view name) const {
  return state_->table.next(name);
}
Tensor GraphBuilder::named(const Tensor& tensor, int32_t first, std::string_view name) {
  const NodeId id = node_of(tensor);
  if (id >= first && tensor.value() == state_->graph.node(id).first_output) {
    rename(id, name);
    return tensor;
  }
  state_->next_name = name;
  return identity(tensor);
}
void GraphBuilder::rename(int32_t node, std::string_view name) {
  const std::string wanted = cat(state_->scope_text(), name), own = this->name(node);
  if (own == wanted) return;
  // Names that differ only in case count as one: the node already has this one.
  const bool is_own = std::ranges::equal(own, wanted, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
  state_->set_name(
      node, is_own ? state_->table.as_it_is(wanted) : state_->take_call_name(identity_op, name));
}
void GraphBuilder::set_control_inputs(std::span<const int32_t> nodes) {
  state_->control.assign(nodes.begin(), nodes.end());
}
void GraphBuilder::set_finalized(bool finalized) { state_->is_finalized = finalized; }

size_t GraphBuilder::num_nodes() const { return state_->graph.num_nodes(); }
int32_t GraphBuilder::node_of(const Tensor& tensor) const {
  return tensor.graph() == state_->number ? state_->graph.node_of(tensor.value()) : kNoIndex;
}
std::string GraphBuilder::name(int32_t node) const {
  return state_->table.text_of(state_->names[static_cast<size_t>(node)]);
}

std::string_view GraphBuilder::type(int32_t id) const {
  return exec::type_of(state_->graph, state_->graph.node(id));
}

std::vector<Tensor> GraphBuilder::inputs(int32_t id) const {
  std::vector<Tensor> tensors;
  const Graph& graph = state_->graph;
  for (ValueId value : graph.inputs(graph.node(id))) tensors.push_back(state_->symbol(value));
  return tensors;
}

std::vector<Tensor> GraphBuilder::outputs(int32_t id) const {
  const Tensors symbols = state_->symbols(id);
  return {symbols.begin(), symbols.end()};
}

std::vector<int32_t> GraphBuilder::control_inputs(int32_t id) const {
  const auto found = state_->control_inputs.find(id);
  return found == state_->control_inputs.end() ? std::vector<int32_t>() : found->second;
}

SourceLine GraphBuilder::line(int32_t id) const {
  const Location at = state_->graph.location(state_->graph.node(id));
  return {at.file, at.line};
}

int32_t GraphBuilder::find(std::string_view name) const { return state_->find(name); }
std::optional<Tensor> GraphBuilder::constant_value(const Tensor& tensor) {
  return state_->known_value(tensor);
}
bool GraphBuilder::runs_alone(const Tensor& tensor) const {
  if (tensor.graph() != state_->number) return false;
  return state_->runs_alone[static_cast<size_t>(state_->graph.node_of(tensor.value()))];
}
int64_t GraphBuilder::bytes() const { return state_->graph.memory_bytes(); }

GraphBuilder::Part GraphBuilder::part(std::span<const Tensor> feeds,
                                      std::span<const Tensor> fetches,
                                      std::span<const int32_t> targets) const {
  Part part;
  const Graph& graph = state_->graph;
  for (NodeId id : exec::needs_of(*state_, feeds, fetches, targets).nodes) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kInput && part.unfed < 0) part.unfed = id;
    if (node.kind != NodeKind::kRead && node.kind != NodeKind::kAssign) continue;
    auto at = std::ranges::find(part.variables, node.index);
    if (at == part.variables.end()) {
      part.variables.push_back(node.index);
      part.reads_first.push_back(node.kind == NodeKind::kRead);
      part.is_assigned.push_back(false);
      at = part.variables.end() - 1;
    }
    if (node.kind == NodeKind::kAssign)
      part.is_assigned[static_cast<size_t>(at - part.variables.begin())] = true;
  }
  return part;
}

}  // namespace penstock
