#include "graph/passes/hoist_invariants.h"

#include <algorithm>

#include "graph/control.h"
#include "graph/copier.h"
#include "graph/passes/dead_code.h"

namespace penstock {
namespace {

// Values up to this size are always worth keeping.
constexpr int64_t kFewElements = 4096;

// Ops that may be called even if the loop takes no step: they cannot fail.
bool is_harmless(const Graph& region, const Node& node) {
  if (node.op->traits.has(Trait::kStateful) || node.op->traits.has(Trait::kDynamicShape))
    return false;
  if (node.op->traits.has(Trait::kCannotFail)) return true;
  const DType dtype = region.dtype(node.first_output);
  const bool is_float = dtype == DType::kFloat32 || dtype == DType::kFloat64 ||
                        dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  return is_float && node.op->traits.has(Trait::kElementwise);
}

// Whether keeping the value beats recomputing it: large elementwise results cost next to nothing
// inside a loop, where they are fused with their users.
bool is_worth_it(const Graph& region, const Node& node) {
  int64_t produced = 0, used = 0, elements = 0;
  for (ValueId k = 0; k < node.num_outputs; ++k) {
    produced += region.bytes(node.first_output + k);
    elements += region.shape(node.first_output + k).num_elements();
  }
  for (ValueId input : region.inputs(node)) used += region.bytes(input);
  if (elements <= kFewElements) return true;
  return !node.op->traits.has(Trait::kElementwise) && produced <= used;
}

class Hoister {
 public:
  explicit Hoister(const Graph& from) : copier_(from, to_) {}

  Graph run() {
    const Graph& from = copier_.from();
    for (const Node& node : from.nodes()) {
      const bool is_loop =
          node.kind == NodeKind::kControl && from.control(node)->kind != Control::Kind::kBranch;
      is_loop ? add_loop(node) : copier_.copy(node);
    }
    copier_.finish();
    return std::move(to_);
  }

 private:
  // The values of the region that can be computed before the loop, as values of the new graph.
  std::vector<ValueId> find_invariant(const Graph& region, size_t num_states, size_t num_invariants,
                                      std::span<const ValueId> inputs) {
    std::vector<ValueId> hoisted_values(region.num_values(), kNoIndex);
    for (const Node& node : region.nodes()) {
      ValueId& first = hoisted_values[static_cast<size_t>(node.first_output)];
      const auto number = static_cast<size_t>(node.index);
      if (node.kind == NodeKind::kInput && number >= num_states &&
          number < num_states + num_invariants)
        first = inputs[number];
      if (node.kind != NodeKind::kOp || !is_harmless(region, node) || !is_worth_it(region, node))
        continue;
      const std::span<const ValueId> uses = region.inputs(node);
      const auto is_there = [&](ValueId use) {
        return hoisted_values[static_cast<size_t>(use)] != kNoIndex ||
               region.constant_of(use) != nullptr;
      };
      if (!std::ranges::all_of(uses, is_there)) continue;
      SmallVector<ValueId, 4> new_uses;
      for (ValueId use : uses) {
        ValueId& known = hoisted_values[static_cast<size_t>(use)];
        if (known == kNoIndex) known = to_.add_constant(*region.constant_of(use));
        new_uses.push_back(known);
      }
      const ValueId hoisted = to_.node(to_.add_copy(region, node, new_uses)).first_output;
      for (ValueId k = 0; k < node.num_outputs; ++k)
        hoisted_values[static_cast<size_t>(node.first_output + k)] = hoisted + k;
    }
    return hoisted_values;
  }

  // A new invariant of a loop: a value of the new graph, and its value in each region.
  struct Extra {
    ValueId value;
    std::vector<ValueId> in_regions;
  };

  void add_loop(const Node& node) {
    SmallVector<ValueId, 8> inputs = copier_.inputs(node);
    auto control = std::make_shared<Control>(*copier_.from().control(node));
    const auto num_states = static_cast<size_t>(control->num_states);
    const size_t num_invariants = control->region(Control::kBody).num_inputs() - num_states;
    std::vector<Extra> extras;
    for (size_t r = 0; r < control->regions.size(); ++r) {
      const Graph& region = control->region(r);
      if (region.num_nodes() == 0) continue;
      const std::vector<ValueId> hoisted_values =
          find_invariant(region, num_states, num_invariants, inputs);
      const auto is_hoisted = [&](ValueId v) {
        return hoisted_values[static_cast<size_t>(v)] != kNoIndex &&
               region.node(region.node_of(v)).kind == NodeKind::kOp;
      };
      std::vector<bool> seen(region.num_values());
      const auto need = [&](ValueId v) {
        if (!is_hoisted(v) || seen[static_cast<size_t>(v)]) return;
        seen[static_cast<size_t>(v)] = true;
        extras.push_back({hoisted_values[static_cast<size_t>(v)],
                          std::vector<ValueId>(control->regions.size(), kNoIndex)});
        extras.back().in_regions[r] = v;
      };
      for (const Node& inner : region.nodes()) {
        if (inner.kind == NodeKind::kOp && is_hoisted(inner.first_output)) continue;
        for (ValueId use : region.inputs(inner)) need(use);
      }
      for (ValueId output : region.outputs()) need(output);
    }
    if (!extras.empty()) {
      const size_t behind = num_states + num_invariants;
      for (size_t r = 0; r < control->regions.size(); ++r) {
        if (control->region(r).num_nodes() > 0)
          control->regions[r] = with_extras(control->region(r), r, behind, extras);
      }
      SmallVector<ValueId, 8> all;
      for (size_t i = 0; i < behind; ++i) all.push_back(inputs[i]);
      for (const Extra& extra : extras) all.push_back(extra.value);
      for (size_t i = behind; i < inputs.size(); ++i) all.push_back(inputs[i]);
      inputs = std::move(all);
    }
    copier_.copy_control(node, std::move(control), inputs);
  }

  // The region with new invariants, from input `behind` on, which replace its own computations.
  std::shared_ptr<const Graph> with_extras(const Graph& region, size_t r, size_t behind,
                                           std::span<const Extra> extras) const {
    Graph result;
    Copier copier(region, result);
    for (size_t i = 0; i < behind; ++i) copier.add_input(region.inputs()[i]);
    for (const Extra& extra : extras) {
      const ValueId input = result.add_input(to_.dtype(extra.value), to_.shape(extra.value));
      if (extra.in_regions[r] != kNoIndex) copier.set(extra.in_regions[r], input);
    }
    for (const Node& node : region.nodes()) copier.copy(node);
    copier.finish();
    return std::make_shared<const Graph>(drop_dead_code(std::move(result)));
  }

  Graph to_;
  Copier copier_;
};

}  // namespace

Graph hoist_invariants(const Graph& graph) { return Hoister(graph).run(); }

}  // namespace penstock
