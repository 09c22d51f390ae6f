#include "graph/passes/trim_controls.h"

#include <algorithm>
#include <functional>

#include "graph/control.h"
#include "graph/copier.h"
#include "graph/extract.h"

namespace penstock {
namespace {

using Flags = std::vector<bool>;
using Kind = Control::Kind;

// Marks the inputs of a region that its outputs `wanted` need, from input `first` on.
void mark(const Graph& region, const Flags& wanted, size_t first, Flags& inputs) {
  std::vector<ValueId> values;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) values.push_back(region.outputs()[i]);
  }
  const std::vector<bool> needed = needed_nodes(region, values);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (needed[static_cast<size_t>(region.node_of(region.inputs()[first + i]))]) inputs[i] = true;
  }
}

// Adds to `wanted` what its members need, transitively; they are the region's inputs from `first`
// on.
void close_over(const Graph& region, size_t first, Flags& wanted) {
  for (;;) {
    Flags more = wanted;
    Flags asked = wanted;
    asked.resize(region.outputs().size());
    mark(region, asked, first, more);
    if (more == wanted) return;
    wanted = std::move(more);
  }
}

template <typename T>
std::vector<T> picked(std::span<const T> all, const Flags& flags) {
  std::vector<T> kept;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) kept.push_back(all[i]);
  }
  return kept;
}

std::shared_ptr<const Graph> restricted(const Graph& region, const Flags& inputs,
                                        const Flags& outputs) {
  return std::make_shared<const Graph>(
      extract(region, picked(region.inputs(), inputs), picked(region.outputs(), outputs), {}));
}

Flags joined(const Flags& a, const Flags& b) {
  Flags both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

// The kept inputs and outputs of a control node, and the control without the others.
struct Trimmed {
  Flags inputs, outputs;
  std::shared_ptr<const Control> control;
};

Trimmed trim_branch(const Control& control, Flags outputs) {
  Flags inputs(control.region(0).num_inputs());
  for (const auto& region : control.regions) mark(*region, outputs, 0, inputs);
  auto trimmed = std::make_shared<Control>(control);
  for (auto& region : trimmed->regions) region = restricted(*region, inputs, outputs);
  return {joined({true}, inputs), std::move(outputs), std::move(trimmed)};
}

// A loop also needs what its condition needs.
Trimmed trim_loop(const Control& control, Flags states) {
  const Graph& condition = control.region(Control::kCondition);
  const Graph& body = control.region(Control::kBody);
  const auto count = static_cast<size_t>(control.num_states);
  mark(condition, {true}, 0, states);
  close_over(body, 0, states);
  Flags invariants(body.num_inputs() - count);
  mark(condition, {true}, count, invariants);
  mark(body, states, count, invariants);
  Flags inputs = joined(states, invariants);
  auto trimmed = std::make_shared<Control>(control);
  trimmed->regions = {restricted(condition, inputs, {true}), restricted(body, inputs, states)};
  trimmed->num_states = static_cast<int32_t>(std::ranges::count(states, true));
  trimmed->numbers = picked(std::span<const int32_t>(control.numbers), states);
  return {std::move(inputs), std::move(states), std::move(trimmed)};
}

// Keeps the states that a backward step reads and those they depend on; likewise for the wanted
// gradients.
Trimmed trim_gradient(const Control& control, Flags outputs) {
  const Graph& condition = control.region(Control::kCondition);
  const Graph& body = control.region(Control::kBody);
  const Graph& backward = control.region(Control::kBackward);
  const auto count = static_cast<size_t>(control.num_states);
  const size_t num_invariants = body.num_inputs() - count;
  close_over(backward, body.num_inputs(), outputs);
  Flags states(count), invariants(num_invariants);
  mark(backward, outputs, 0, states);
  if (control.trips < 0) mark(condition, {true}, 0, states);
  close_over(body, 0, states);
  mark(backward, outputs, count, invariants);
  mark(body, states, count, invariants);
  if (control.trips < 0) mark(condition, {true}, count, invariants);
  const Flags shared = joined(states, invariants);
  const size_t num_given = control.states.size();
  const Flags gradients(outputs.begin(), outputs.begin() + static_cast<ptrdiff_t>(num_given));
  const Flags sums(outputs.begin() + static_cast<ptrdiff_t>(num_given), outputs.end());
  auto trimmed = std::make_shared<Control>(control);
  trimmed->regions = {
      control.trips < 0 ? restricted(condition, shared, {true}) : std::make_shared<const Graph>(),
      restricted(body, shared, states), restricted(backward, joined(shared, outputs), outputs)};
  trimmed->num_states = static_cast<int32_t>(std::ranges::count(states, true));
  trimmed->numbers = picked(std::span<const int32_t>(control.numbers), states);
  trimmed->states = picked(std::span<const int32_t>(control.states), gradients);
  trimmed->invariants = picked(std::span<const int32_t>(control.invariants), sums);
  return {joined(shared, gradients), std::move(outputs), std::move(trimmed)};
}

Trimmed trim(const Control& control, Flags outputs) {
  switch (control.kind) {
    case Kind::kBranch:
      return trim_branch(control, std::move(outputs));
    case Kind::kLoop:
      return trim_loop(control, std::move(outputs));
    case Kind::kLoopGradient:
      break;
  }
  return trim_gradient(control, std::move(outputs));
}

void add_trimmed(Copier& copier, const Node& node, const Trimmed& trimmed) {
  const Graph& graph = copier.from();
  std::vector<OutputSpec> specs;
  std::vector<ValueId> outputs;
  for (size_t k = 0; k < node.num_outputs; ++k) {
    if (!trimmed.outputs[k]) continue;
    outputs.push_back(node.first_output + static_cast<ValueId>(k));
    specs.push_back({graph.dtype(outputs.back()), graph.shape(outputs.back())});
  }
  const SmallVector<ValueId, 8> inputs = copier.all(picked(graph.inputs(node), trimmed.inputs));
  Graph& to = copier.to();
  const NodeId copy =
      to.add_control(trimmed.control, inputs, specs, to.add_location(graph.location(node)));
  for (size_t k = 0; k < outputs.size(); ++k)
    copier.set(outputs[k], to.node(copy).first_output + static_cast<ValueId>(k));
}

}  // namespace

Graph trim_controls(const Graph& graph) {
  std::vector<bool> needed(graph.num_values());
  for (ValueId value : results_of(graph)) needed[static_cast<size_t>(value)] = true;
  std::vector<Trimmed> trimmed(graph.num_nodes());
  for (size_t n = graph.num_nodes(); n-- > 0;) {
    const Node& node = graph.node(static_cast<NodeId>(n));
    Flags outputs;
    for (ValueId k = node.first_output; k < node.first_output + node.num_outputs; ++k)
      outputs.push_back(needed[static_cast<size_t>(k)]);
    if (std::ranges::none_of(outputs, [](bool is_kept) { return is_kept; })) continue;
    const bool is_control = node.kind == NodeKind::kControl;
    if (is_control) trimmed[n] = trim(*graph.control(node), std::move(outputs));
    const std::span<const ValueId> inputs = graph.inputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!is_control || trimmed[n].inputs[i]) needed[static_cast<size_t>(inputs[i])] = true;
    }
  }
  Graph result;
  Copier copier(graph, result);
  for (size_t n = 0; n < graph.num_nodes(); ++n) {
    const Node& node = graph.node(static_cast<NodeId>(n));
    const auto first = needed.begin() + node.first_output;
    const bool is_needed = std::any_of(first, first + node.num_outputs, std::identity());
    if (node.kind == NodeKind::kControl && is_needed) {
      add_trimmed(copier, node, trimmed[n]);
    } else if (node.kind == NodeKind::kInput || is_needed) {  // the caller passes all inputs
      copier.copy(node);
    }
  }
  copier.finish();
  return result;
}

}  // namespace penstock
