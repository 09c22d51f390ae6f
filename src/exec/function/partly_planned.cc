#include "exec/function/partly_planned.h"

#include <algorithm>

#include <penstock/autodiff/tape.h>
#include <penstock/base/strings.h>

#include "autodiff/recording.h"
#include "exec/control/control_calls.h"
#include "exec/eager/interpreter.h"
#include "exec/trace/function_state.h"
#include "graph/control.h"
#include "graph/extract.h"
#include "graph/graph.h"

namespace penstock::exec {
namespace {

bool is_leaf(const Node& node) {
  return node.kind == NodeKind::kInput || node.kind == NodeKind::kConstant ||
         node.kind == NodeKind::kRead;
}

std::string name_of(const Graph& graph, const Node& node) {
  const std::string name = node.kind == NodeKind::kCall       ? graph.call(node)->name
                           : node.kind == NodeKind::kGradient ? "Gradient"
                           : node.kind == NodeKind::kAssign   ? "Assign"
                           : node.kind == NodeKind::kControl  ? name_of(graph.control(node)->kind)
                                                              : std::string(node.op->name.value);
  const Location at = graph.location(node);
  return at.file.empty() ? name : cat(name, " at ", at.file, ":", at.line);
}

}  // namespace

PartlyPlanned::PartlyPlanned(const Graph& graph, std::span<const Variable> variables,
                             std::string_view name)
    : graph_(graph),
      variables_(variables),
      name_(name),
      needed_(needed_nodes(graph, results_of(graph), true)),
      is_planned_(graph.num_nodes()),
      stage_of_(graph.num_nodes()),
      users_(graph.num_values()) {
  choose_stages();
  for (size_t s = 0; s < stages_.size(); ++s) make_piece(s);
  for (const Write& write : graph.writes()) {
    const auto stage =
        static_cast<size_t>(stage_of_[static_cast<size_t>(graph.node_of(write.value))]);
    if (!stays_in_piece(write, stage)) {
      writes_.push_back(write);
      continue;
    }
    // Nobody else may hold a value that is written in place.
    std::erase_if(leaves_, [&](NodeId leaf) {
      const Node& node = graph.node(leaf);
      return node.kind == NodeKind::kRead && node.index == write.slot;
    });
  }
}

// A planned node is in the stage of its inputs, or in the next one after an unplanned input. An
// unplanned call is in the stage of its inputs, and never before an earlier host call.
void PartlyPlanned::choose_stages() {
  std::vector<bool> on_way(graph_.num_nodes());  // tapes record these individually
  for (size_t n = 0; n < graph_.num_nodes(); ++n) {
    const Node& node = graph_.node(static_cast<NodeId>(n));
    if (!needed_[n]) continue;
    for (ValueId input : graph_.inputs(node))
      users_[static_cast<size_t>(input)].push_back(static_cast<NodeId>(n));
    if (node.kind != NodeKind::kGradient) continue;
    for (ValueId value : graph_.inputs(node).subspan(graph_.gradient(node).first_on_way()))
      on_way[static_cast<size_t>(graph_.node_of(value))] = true;
  }
  int32_t last_call = 0;
  for (size_t n = 0; n < graph_.num_nodes(); ++n) {
    const auto id = static_cast<NodeId>(n);
    const Node& node = graph_.node(id);
    if (!needed_[n]) continue;
    if (is_leaf(node)) {
      leaves_.push_back(id);
      continue;
    }
    is_planned_[n] = is_closed(graph_, node) && !on_way[n];
    int32_t stage = has_calls(graph_, node) ? last_call : 0;
    for (ValueId input : graph_.inputs(node)) {
      const auto from = static_cast<size_t>(graph_.node_of(input));
      const bool is_after =
          is_planned_[n] && !is_planned_[from] && !is_leaf(graph_.node(graph_.node_of(input)));
      stage = std::max(stage, stage_of_[from] + (is_after ? 1 : 0));
    }
    if (has_calls(graph_, node)) last_call = stage;
    stage_of_[n] = stage;
    if (static_cast<size_t>(stage) >= stages_.size())
      stages_.resize(static_cast<size_t>(stage) + 1);
    if (!is_planned_[n]) stages_[static_cast<size_t>(stage)].calls.push_back(id);
  }
}

bool PartlyPlanned::is_in_piece(NodeId id, size_t stage) const {
  return is_planned_[static_cast<size_t>(id)] &&
         stage_of_[static_cast<size_t>(id)] == static_cast<int32_t>(stage);
}

// Whether a single piece reads and writes a variable: then it updates it in place. A variable of
// open shape may change its size.
bool PartlyPlanned::stays_in_piece(const Write& write, size_t stage) const {
  if (!variables_[static_cast<size_t>(write.slot)].shape().is_known()) return false;
  if (!is_in_piece(graph_.node_of(write.value), stage)) return false;
  for (NodeId leaf : leaves_) {
    const Node& node = graph_.node(leaf);
    if (node.kind != NodeKind::kRead || node.index != write.slot) continue;
    if (std::ranges::count(graph_.outputs(), node.first_output) > 0) return false;
    for (const Write& other : graph_.writes()) {
      if (other.value == node.first_output) return false;
    }
    for (NodeId user : users_[static_cast<size_t>(node.first_output)]) {
      if (!is_in_piece(user, stage)) return false;
    }
  }
  return true;
}

void PartlyPlanned::make_piece(size_t s) {
  Stage& stage = stages_[s];
  std::vector<Write> writes;
  std::vector<bool> own_slot(variables_.size());
  for (const Write& write : graph_.writes()) {
    if (!stays_in_piece(write, s)) continue;
    writes.push_back(write);
    own_slot[static_cast<size_t>(write.slot)] = true;
  }
  std::vector<bool> is_input(graph_.num_values());
  bool has_nodes = false;
  for (size_t n = 0; n < graph_.num_nodes(); ++n) {
    if (!needed_[n] || !is_in_piece(static_cast<NodeId>(n), s)) continue;
    has_nodes = true;
    const Node& node = graph_.node(static_cast<NodeId>(n));
    for (ValueId input : graph_.inputs(node)) {
      const NodeId from = graph_.node_of(input);
      if (is_in_piece(from, s)) continue;
      stage.uses.push_back(input);
      const Node& source = graph_.node(from);
      const bool is_own =
          source.kind == NodeKind::kConstant ||
          (source.kind == NodeKind::kRead && own_slot[static_cast<size_t>(source.index)]);
      if (is_own || is_input[static_cast<size_t>(input)]) continue;
      is_input[static_cast<size_t>(input)] = true;
      stage.inputs.push_back(input);
    }
    for (ValueId k = node.first_output; k < node.first_output + node.num_outputs; ++k) {
      const std::vector<NodeId>& users = users_[static_cast<size_t>(k)];
      const bool leaves =
          std::ranges::any_of(users, [&](NodeId user) { return !is_in_piece(user, s); });
      if (leaves || std::ranges::count(graph_.outputs(), k) > 0 ||
          std::ranges::any_of(graph_.writes(), [&](const Write& write) {
            return write.value == k && !own_slot[static_cast<size_t>(write.slot)];
          }))
        stage.outputs.push_back(k);
    }
  }
  if (!has_nodes) return;
  std::vector<Variable> variables(variables_.begin(), variables_.end());
  stage.planned = make_function(name_, extract(graph_, stage.inputs, stage.outputs, writes),
                                std::move(variables));
}

Tensors PartlyPlanned::run(std::span<const Tensor* const> inputs) {
  // The caller's tapes do not follow a planned call; tapes of gradients inside it record.
  const HideTapes hide;
  struct Resume {
    bool before = std::exchange(autodiff::t_paused, false);
    ~Resume() { autodiff::t_paused = before; }
  } resume;
  Interpreter interpreter(graph_, inputs, variables_, needed_, call_control);
  interpreter.set_assigns(Interpreter::Assigns::kPass);
  for (ValueId output : graph_.outputs()) interpreter.keep(output);
  for (const Write& write : writes_) interpreter.keep(write.value);
  for (NodeId leaf : leaves_) interpreter.step(leaf);
  for (const Stage& stage : stages_) {
    if (stage.planned.defined()) {
      std::vector<Tensor> arguments;
      for (ValueId input : stage.inputs) arguments.push_back(interpreter.value(input));
      Tensors outputs = stage.planned(std::span<const Tensor>(arguments));
      arguments.clear();
      for (size_t i = 0; i < outputs.size(); ++i)
        interpreter.give(stage.outputs[i], std::move(outputs[i]));
      for (ValueId used : stage.uses) interpreter.drop_use(used);
    }
    for (NodeId call : stage.calls) interpreter.step(call);
  }
  for (const Write& write : writes_)
    Variable(variables_[static_cast<size_t>(write.slot)]).assign(interpreter.value(write.value));
  Tensors outputs;
  for (ValueId output : graph_.outputs()) outputs.push_back(interpreter.value(output));
  return outputs;
}

bool PartlyPlanned::is_cause(NodeId id) const {
  const Node& node = graph_.node(id);
  const auto is_open = [&](ValueId value) {
    const NodeId from = graph_.node_of(value);
    return !is_planned_[static_cast<size_t>(from)] && !is_leaf(graph_.node(from));
  };
  if (node.kind == NodeKind::kCall) return true;
  if (node.kind == NodeKind::kGradient || is_closed(graph_, node)) return false;
  if (node.kind == NodeKind::kOp && node.op->traits.has(Trait::kDynamicShape)) return true;
  const std::span<const ValueId> inputs = graph_.inputs(node);
  for (size_t i = 0; node.kind == NodeKind::kOp && i < inputs.size(); ++i) {
    // An open size follows from another open size.
    const bool is_size = node.op->input(i).host && graph_.constant_of(inputs[i]) == nullptr;
    if (is_size && !is_open(inputs[i])) return true;
  }
  return std::ranges::none_of(inputs, is_open);
}

MemoryPlan PartlyPlanned::plan() const {
  MemoryPlan all;
  for (const Stage& stage : stages_) {
    if (stage.planned.defined()) {
      const MemoryPlan piece = stage.planned.plan();
      const auto first = static_cast<int>(all.instructions.size());
      if (piece.peak_bytes > all.peak_bytes) {
        all.peak_bytes = piece.peak_bytes;
        all.peak_instruction =
            piece.peak_instruction < 0 ? piece.peak_instruction : first + piece.peak_instruction;
      }
      all.arena_bytes = std::max(all.arena_bytes, piece.arena_bytes);
      all.lower_bound = std::max(all.lower_bound, piece.lower_bound);
      all.output_bytes += piece.output_bytes;
      all.constant_bytes += piece.constant_bytes;
      all.instructions.insert(all.instructions.end(), piece.instructions.begin(),
                              piece.instructions.end());
      all.timeline.insert(all.timeline.end(), piece.timeline.begin(), piece.timeline.end());
      for (PlannedValue value : piece.values) {
        value.first += first;
        value.last += first;
        all.values.push_back(std::move(value));
      }
    }
    for (NodeId call : stage.calls) {
      all.unknown.push_back(name_of(graph_, graph_.node(call)));
      if (is_cause(call)) all.causes.push_back(all.unknown.back());
    }
  }
  return all;
}

int64_t PartlyPlanned::peak_bytes() const {
  int64_t peak = 0;
  for (const Stage& stage : stages_) {
    if (stage.planned.defined()) peak = std::max(peak, stage.planned.peak_bytes());
  }
  return peak;
}

size_t PartlyPlanned::num_instructions() const {
  size_t count = 0;
  for (const Stage& stage : stages_)
    count += stage.calls.size() + (stage.planned.defined() ? stage.planned.num_instructions() : 0);
  return count;
}

int64_t PartlyPlanned::bytes() const {
  int64_t bytes = 0;
  for (const Stage& stage : stages_) {
    bytes += static_cast<int64_t>(
        (stage.inputs.size() + stage.outputs.size() + stage.uses.size() + stage.calls.size()) *
        sizeof(int32_t));
    if (stage.planned.defined()) bytes += stage.planned.bytes();
  }
  return bytes;
}

}  // namespace penstock::exec
