#include "exec/compile/step_order.h"

#include <algorithm>

#include "graph/control.h"
#include "graph/graph.h"
#include "plan/schedule.h"

namespace penstock::exec {
namespace {

using plan::ScheduleItem;
using plan::ScheduleProblem;
using plan::ScheduleStep;

// The graph as a scheduling problem of steps and items.
class ScheduleModel {
 public:
  ScheduleModel(const Graph& graph, std::span<const Step> steps,
                std::span<const int64_t> control_scratch)
      : graph_(graph), steps_(steps), control_scratch_(control_scratch) {
    problem_.steps.resize(steps.size());
    step_of_.assign(graph.num_nodes(), kNoIndex);
    item_of_.assign(graph.num_values(), kNoIndex);
    written_to_.assign(graph.num_values(), kNoIndex);
    for (const Write& write : graph.writes())
      written_to_[static_cast<size_t>(write.value)] = write.slot;
    for (size_t s = 0; s < steps.size(); ++s) {
      for (NodeId id : steps[s].nodes) step_of_[static_cast<size_t>(id)] = static_cast<int32_t>(s);
    }
    add_variables();
    add_items();
    add_results();
    add_uses();
  }

  const ScheduleProblem& problem() const { return problem_; }

 private:
  ScheduleItem& item(int32_t index) { return problem_.items[static_cast<size_t>(index)]; }
  ScheduleStep& step(int32_t index) { return problem_.steps[static_cast<size_t>(index)]; }
  int32_t& item_of(ValueId value) { return item_of_[static_cast<size_t>(value)]; }
  int32_t step_of(ValueId value) const {
    return step_of_[static_cast<size_t>(graph_.node_of(value))];
  }

  std::span<const NodeId> members(int32_t index) const {
    return steps_[static_cast<size_t>(index)].nodes;
  }
  int32_t num_steps() const { return static_cast<int32_t>(steps_.size()); }

  int32_t add_item(int64_t bytes) {
    problem_.items.push_back({.bytes = bytes, .users = {}});
    return static_cast<int32_t>(problem_.items.size() - 1);
  }

  // Variables take no bytes of the run, but a value written to one may be computed in its memory.
  void add_variables() {
    for (const Node& node : graph_.nodes()) {
      if (node.kind != NodeKind::kRead) continue;
      item_of(node.first_output) = add_item(0);
      const auto slot = static_cast<size_t>(node.index);
      if (slot >= read_items_.size()) read_items_.resize(slot + 1, kNoIndex);
      read_items_[slot] = item_of(node.first_output);
    }
  }
  int32_t read_item(int32_t slot) const {
    return static_cast<size_t>(slot) < read_items_.size() ? read_items_[static_cast<size_t>(slot)]
                                                          : kNoIndex;
  }

  void add_control(const Node& node) {
    ScheduleStep& made_by = step(step_of(node.first_output));
    made_by.scratch = control_scratch_[static_cast<size_t>(node.index)];
    for (ValueId k = node.first_output; k < node.first_output + node.num_outputs; ++k) {
      item_of(k) = add_item(graph_.bytes(k));
      made_by.makes.push_back(item_of(k));
    }
  }

  void add_items() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.num_nodes()); ++id) {
      if (step_of_[static_cast<size_t>(id)] == kNoIndex) continue;
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::kControl) {
        add_control(node);
        continue;
      }
      SmallVector<View, 4> views;
      for (ValueId input : graph_.inputs(node)) views.push_back(graph_.view(input));
      InferContext infer(*node.op, views, graph_.attrs(node));
      node.op->infer.value(infer);
      ScheduleStep& made_by = step(step_of(node.first_output));
      made_by.scratch = std::max(made_by.scratch, infer.scratch_bytes());
      for (size_t k = 0; k < node.num_outputs; ++k) {
        const ValueId value = node.first_output + static_cast<ValueId>(k);
        const OutputSpec& spec = infer.outputs()[k];
        if (spec.shares_input >= 0) {
          item_of(value) = item_of(graph_.inputs(node)[static_cast<size_t>(spec.shares_input)]);
        } else {
          item_of(value) = add_item(graph_.bytes(value));
          made_by.makes.push_back(item_of(value));
        }
      }
    }
  }

  void add_uses() {
    int32_t last_stateful = kNoIndex;
    for (int32_t s = 0; s < num_steps(); ++s) {
      for (NodeId id : members(s)) {
        const Node& node = graph_.node(id);
        for (ValueId input : graph_.inputs(node)) add_use(s, input);
        if (is_stateful(graph_, node)) {
          if (last_stateful != kNoIndex) step(last_stateful).next.push_back(s);
          last_stateful = s;
        }
        add_takes(s, node);
      }
    }
    for (const Write& write : graph_.writes()) add_write(write);
    for (ScheduleStep& step : problem_.steps) {
      std::sort(step.next.begin(), step.next.end());
      step.next.erase(std::unique(step.next.begin(), step.next.end()), step.next.end());
    }
    for (int32_t s = 0; s < num_steps(); ++s) drop_inner_items(s);
  }

  void add_use(int32_t s, ValueId input) {
    const int32_t maker = step_of(input);
    if (maker != kNoIndex && maker != s) step(maker).next.push_back(s);
    const int32_t used = item_of(input);
    if (used == kNoIndex) return;
    std::vector<int32_t>& users = item(used).users;
    if (!users.empty() && users.back() == s) return;  // steps come in order
    users.push_back(s);
    step(s).uses.push_back(used);
  }

  // A write to a variable can be computed in its memory by a step that follows all its readers, as
  // if it were one of them.
  void add_write(const Write& write) {
    const int32_t s = step_of(write.value);
    if (s == kNoIndex || read_item(write.slot) == kNoIndex) return;
    const int32_t used = read_item(write.slot);
    const std::vector<int32_t>& uses = step(s).uses;
    const bool reads_it = std::find(uses.begin(), uses.end(), used) != uses.end();
    if (reads_it && members(s).size() < 2) return;  // its op decides
    if (!reads_it) {
      item(used).users.push_back(s);
      step(s).uses.push_back(used);
    }
    step(s).takes.insert(step(s).takes.begin(), {item_of(write.value), used});
  }

  void add_takes(int32_t s, const Node& node) {
    const std::span<const ValueId> inputs = graph_.inputs(node);
    if (node.kind == NodeKind::kControl) {
      for (size_t k = 0; k < node.num_outputs; ++k) {
        const int32_t from = forwarded_input(*graph_.control(node), k, inputs.size());
        if (from != kNoIndex)
          add_take(s, node.first_output + static_cast<ValueId>(k),
                   inputs[static_cast<size_t>(from)]);
      }
      return;
    }
    for (const Forward& forward : node.op->forwards) {
      if (forward.input < inputs.size() && forward.output < node.num_outputs)
        add_take(s, node.first_output + forward.output, inputs[forward.input]);
    }
  }

  void add_take(int32_t s, ValueId value, ValueId input) {
    const int32_t used = item_of(input);
    if (used == kNoIndex || graph_.bytes(input) != graph_.bytes(value) || item_of(value) == used)
      return;
    const Node& source = graph_.node(graph_.node_of(input));
    if (source.kind == NodeKind::kRead && written_to_[static_cast<size_t>(value)] != source.index)
      return;
    step(s).takes.push_back({item_of(value), used});
  }

  // Values that only the group uses take no memory beyond a tile.
  void drop_inner_items(int32_t s) {
    if (members(s).size() < 2) return;
    ScheduleStep& group = step(s);
    const auto is_inner = [&](int32_t output) {
      const std::vector<int32_t>& users = item(output).users;
      return !item(output).is_result &&
             std::all_of(users.begin(), users.end(), [&](int32_t user) { return user == s; });
    };
    for (int32_t output : group.makes) {
      if (is_inner(output)) item(output).bytes = 0;
    }
    std::erase_if(group.uses, [&](int32_t used) {
      return std::find(group.makes.begin(), group.makes.end(), used) != group.makes.end();
    });
    for (int32_t output : group.makes) std::erase(item(output).users, s);
    // An inner chain passes on the memory that its first op may take over.
    for (size_t i = 0; i < group.takes.size(); ++i) {
      for (size_t k = i + 1; k < group.takes.size(); ++k) {
        if (group.takes[k].used == group.takes[i].made) group.takes[k].used = group.takes[i].used;
      }
    }
    std::erase_if(group.takes, [&](const ScheduleStep::Takes& take) {
      return item(take.made).bytes == 0 || is_inner(take.made) ||
             std::find(group.makes.begin(), group.makes.end(), take.used) != group.makes.end();
    });
  }

  // Results have their own buffers from the start, or stay to the end.
  void add_results() {
    for (ValueId output : graph_.outputs()) {
      if (item_of(output) != kNoIndex) item(item_of(output)).bytes = 0;
    }
    for (const Write& write : graph_.writes()) {
      if (item_of(write.value) != kNoIndex) item(item_of(write.value)).is_result = true;
    }
  }

  const Graph& graph_;
  std::span<const Step> steps_;
  std::span<const int64_t> control_scratch_;
  ScheduleProblem problem_;
  std::vector<int32_t> step_of_;     // of nodes
  std::vector<int32_t> item_of_;     // of values; kNoIndex for inputs and constants
  std::vector<int32_t> written_to_;  // of values: the slot
  std::vector<int32_t> read_items_;  // of slots: their variables
};

}  // namespace

std::vector<Step> order_steps(const Graph& graph, std::vector<Step> steps,
                              std::span<const int64_t> control_scratch) {
  const ScheduleModel model(graph, steps, control_scratch);
  std::vector<Step> ordered;
  ordered.reserve(steps.size());
  for (int32_t s : plan::choose_schedule(model.problem()))
    ordered.push_back(std::move(steps[static_cast<size_t>(s)]));
  return ordered;
}

}  // namespace penstock::exec
