#include "exec/compile/fusion/groups.h"

#include <algorithm>

#include "exec/compile/fusion/product_epilogues.h"
#include "exec/compile/fusion/scalar_groups.h"
#include "exec/compile/fusion/tiles.h"

namespace penstock::exec {
namespace {

// A group may absorb a node if no path leads from the group through other nodes back to it. Stamps
// make that check fast: everything a group uses from outside depends only on groups with smaller
// stamps, and everything that uses it has a larger one.
struct Group {
  int32_t stamp = 0;
  int32_t time = 0;  // the number of other ops before its last one
  int32_t num_operands = 0;
  int32_t num_reductions = 0;  // of all elements
  Shape shape;                 // of the values that tiles are cut from
  int64_t row = 1;             // the longest of its tile operands' rows
  bool has_columns = false;    // values with one element per row
  bool is_used_outside = false;
  std::vector<int32_t> members;  // positions
};

class GroupFinder {
 public:
  GroupFinder(const Graph& graph, std::span<const NodeId> nodes) : graph_(graph), nodes_(nodes) {
    position_.assign(graph.num_nodes(), kNoIndex);
    uses_.assign(graph.num_values(), 0);
    group_of_.assign(nodes.size(), kNoIndex);
    after_.assign(nodes.size(), kNoIndex);
    is_reduction_.assign(nodes.size(), false);
    for (size_t i = 0; i < nodes.size(); ++i) {
      position_[static_cast<size_t>(nodes[i])] = static_cast<int32_t>(i);
      for (ValueId input : inputs(static_cast<int32_t>(i))) ++uses_[static_cast<size_t>(input)];
    }
    for (ValueId output : graph.outputs()) ++uses_[static_cast<size_t>(output)];
    for (const Write& write : graph.writes()) ++uses_[static_cast<size_t>(write.value)];
  }

  std::vector<int32_t> find() {
    for (int32_t at = 0; at < static_cast<int32_t>(nodes_.size()); ++at) visit(at);
    for (int32_t& group : group_of_) {
      if (group != kNoIndex && groups_[static_cast<size_t>(group)].members.size() < 2)
        group = kNoIndex;
    }
    return std::move(group_of_);
  }

 private:
  const Node& node(int32_t at) const { return graph_.node(nodes_[static_cast<size_t>(at)]); }
  std::span<const ValueId> inputs(int32_t at) const { return graph_.inputs(node(at)); }
  int32_t position(ValueId value) const {
    return position_[static_cast<size_t>(graph_.node_of(value))];
  }
  int32_t group_of(ValueId value) const {
    const int32_t at = position(value);
    return at == kNoIndex ? kNoIndex : group_of_[static_cast<size_t>(at)];
  }
  // Whether the value is complete only after the last tile of its group.
  bool is_reduced(ValueId value) const {
    const int32_t at = position(value);
    return at != kNoIndex && is_reduction_[static_cast<size_t>(at)];
  }
  // Whether `user` needs more of an input than its group's current tile: all of a column whose
  // elements do not match the rows.
  bool needs_all(const Node& user, ValueId input) const {
    if (is_reduced(input)) return true;
    const int32_t group = group_of(input);
    if (group == kNoIndex || !is_column(input)) return false;
    const Shape &shape = graph_.shape(input), &output = graph_.shape(user.first_output);
    if (shape == output) return false;
    const InputReach reach = reach_of(shape, output);
    return reach.reach != Reach::kPrefix || reach.row != groups_[static_cast<size_t>(group)].row;
  }
  bool is_column(ValueId value) const {
    const Group& group = groups_[static_cast<size_t>(group_of(value))];
    return group.has_columns && graph_.shape(value) != group.shape;
  }
  // The largest stamp among the value's dependencies.
  int32_t after(ValueId value) const {
    const int32_t at = position(value);
    if (at == kNoIndex) return kNoIndex;
    const int32_t group = group_of_[static_cast<size_t>(at)];
    return group == kNoIndex ? after_[static_cast<size_t>(at)]
                             : groups_[static_cast<size_t>(group)].stamp;
  }

  void visit(int32_t at) {
    if (join_as_column(at)) return;
    if (int64_t row = 1; is_fusible(node(at), &row)) {
      start_group(at, row);
      for (ValueId input : inputs(at)) {
        if (needs_all(node(at), input))
          groups_[static_cast<size_t>(group_of(input))].is_used_outside = true;
      }
      for (ValueId input : inputs(at)) {
        const int32_t theirs = group_of(input);
        const int32_t mine = group_of_[static_cast<size_t>(at)];
        if (theirs != kNoIndex && theirs != mine && !needs_all(node(at), input))
          try_merge(theirs, mine, input, node(at));
      }
    } else if (!join_as_reduction(at) && !add_row_reduction(at)) {
      ++time_;
    }
    const int32_t mine = group_of_[static_cast<size_t>(at)];
    for (ValueId input : inputs(at)) {
      after_[static_cast<size_t>(at)] = std::max(after_[static_cast<size_t>(at)], after(input));
      const int32_t theirs = group_of(input);
      if (theirs != kNoIndex && theirs != mine)
        groups_[static_cast<size_t>(theirs)].is_used_outside = true;
    }
  }

  // A sum of all elements needs only those elements, so it can always join the group that makes
  // them.
  bool join_as_reduction(int32_t at) {
    if (!is_whole_reduction(graph_, node(at))) return false;
    const ValueId input = inputs(at)[0];
    const int32_t into = group_of(input);
    if (into == kNoIndex || is_reduced(input)) return false;
    Group& group = groups_[static_cast<size_t>(into)];
    if (group.row != 1 || group.num_reductions == kMostTileReductions ||
        group.members.size() >= static_cast<size_t>(kMostTileOps) ||
        group.num_operands + 2 > kMostTileOperands)
      return false;
    ++group.num_reductions;
    group.num_operands += 2;
    group.members.push_back(at);
    group_of_[static_cast<size_t>(at)] = into;
    is_reduction_[static_cast<size_t>(at)] = true;
    return true;
  }

  // A row reduction can join the group that makes the rows, and the ops on its results can join
  // too.
  bool add_row_reduction(int32_t at) {
    const int64_t row = reduced_row(graph_, node(at));
    if (row == 0) return false;
    const ValueId input = inputs(at)[0];
    const int32_t into = group_of(input);
    if (into == kNoIndex || is_reduced(input) || !can_take_rows(into, input, row)) {
      start_group(at, row);
      groups_.back().shape = graph_.shape(input);
      groups_.back().has_columns = true;
      return true;
    }
    Group& group = groups_[static_cast<size_t>(into)];
    group.row = row;
    group.has_columns = true;
    join(into, at);
    return true;
  }

  bool can_take_rows(int32_t into, ValueId input, int64_t row) const {
    const Group& group = groups_[static_cast<size_t>(into)];
    return group.shape == graph_.shape(input) && (group.row == 1 || group.row == row) &&
           group.num_reductions == 0 && has_room(group, 1, 2);
  }

  // Adds an elementwise op on columns of a group; it is too small for its own group.
  bool join_as_column(int32_t at) {
    if (!is_plain(node(at))) return false;
    const Shape& shape = graph_.shape(node(at).first_output);
    int32_t into = kNoIndex;
    for (ValueId input : inputs(at)) {
      if (group_of(input) != kNoIndex && is_column(input)) into = group_of(input);
    }
    if (into == kNoIndex) return false;
    const Group& group = groups_[static_cast<size_t>(into)];
    if (shape == group.shape || shape.num_elements() * group.row != group.shape.num_elements() ||
        !has_room(group, 1, node(at).num_inputs + node(at).num_outputs) ||
        !makes_all(node(at), shape))
      return false;
    for (ValueId input : inputs(at)) {
      const Reach reach = reach_of(graph_.shape(input), shape).reach;
      if (graph_.dtype(input) == DType::kString) return false;
      if (group_of(input) == into) {
        if (is_reduced(input) || graph_.shape(input) != shape) return false;
      } else if ((reach != Reach::kFull && reach != Reach::kOne) || after(input) >= group.stamp) {
        return false;
      }
    }
    join(into, at);
    for (ValueId input : inputs(at)) {
      if (group_of(input) != kNoIndex && group_of(input) != into)
        groups_[static_cast<size_t>(group_of(input))].is_used_outside = true;
    }
    return true;
  }

  static bool has_room(const Group& group, size_t ops, int32_t operands) {
    return group.members.size() + ops <= static_cast<size_t>(kMostTileOps) &&
           group.num_operands + operands <= kMostTileOperands;
  }

  void join(int32_t into, int32_t at) {
    Group& group = groups_[static_cast<size_t>(into)];
    group.num_operands += node(at).num_inputs + node(at).num_outputs;
    group.members.push_back(at);
    group_of_[static_cast<size_t>(at)] = into;
  }

  static bool is_plain(const Node& node) {
    if (node.op == nullptr) return false;
    const OpDef& op = *node.op;
    return op.traits.has(Trait::kElementwise) && op.cpu != nullptr &&
           !op.traits.has(Trait::kStateful) && !op.traits.has(Trait::kDynamicShape) &&
           !op.traits.has(Trait::kMakesStrings) && !op.traits.has(Trait::kUsesHeap);
  }

  // Whether all outputs have `shape` and their own memory, and no scratch is needed.
  bool makes_all(const Node& node, const Shape& shape) const {
    SmallVector<View, 4> views;
    for (ValueId input : graph_.inputs(node)) views.push_back(graph_.view(input));
    InferContext infer(*node.op, views, graph_.attrs(node));
    node.op->infer.value(infer);
    if (infer.scratch_bytes() > 0) return false;
    for (const OutputSpec& spec : infer.outputs()) {
      if (spec.shares_input >= 0 || spec.shape != shape || spec.dtype == DType::kString)
        return false;
    }
    return true;
  }

  // *longest is set to the longest row of a repeated input.
  bool is_fusible(const Node& node, int64_t* longest) const {
    const Shape& shape = graph_.shape(node.first_output);
    if (!is_plain(node) || shape.num_elements() <= kTileElements) return false;
    int64_t& row = *longest;
    for (ValueId input : graph_.inputs(node)) {
      const InputReach reach = reach_of(graph_.shape(input), shape);
      if (reach.reach == Reach::kNone || graph_.dtype(input) == DType::kString) return false;
      if (reach.row != 1 && row != 1 && reach.row != row) return false;
      row = std::max(row, reach.row);
    }
    return row <= kMostRow && node.num_inputs + node.num_outputs <= kMostTileOperands &&
           makes_all(node, shape);
  }

  void start_group(int32_t at, int64_t row) {
    Group group;
    group.shape = graph_.shape(node(at).first_output);
    group.row = row;
    group.stamp = next_stamp_++;
    group.time = time_;
    group.num_operands = node(at).num_inputs + node(at).num_outputs;
    group.members.push_back(at);
    group_of_[static_cast<size_t>(at)] = static_cast<int32_t>(groups_.size());
    groups_.push_back(std::move(group));
  }

  // The newest node, in group `mine`, uses `value` of group `theirs`.
  void try_merge(int32_t theirs, int32_t mine, ValueId value, const Node& newest) {
    Group& a = groups_[static_cast<size_t>(theirs)];
    Group& b = groups_[static_cast<size_t>(mine)];
    if (!has_room(a, b.members.size(), b.num_operands) || a.shape != b.shape) return;
    const int32_t num_reductions = a.num_reductions + b.num_reductions;
    const int64_t row = std::max(a.row, b.row);
    if (num_reductions > kMostTileReductions || (num_reductions > 0 && row != 1)) return;
    const bool has_columns = a.has_columns || b.has_columns;
    if (has_columns && ((a.row != 1 && a.row != row) || (b.row != 1 && b.row != row))) return;
    // Moves the later group to the earlier one if its result need not wait there, or takes no more
    // memory than what it replaces. Otherwise delays the earlier group, if nobody else waits for it
    // and its inputs take no more memory than its results.
    const bool is_near = a.time == b.time;
    const bool replaces =
        uses_[static_cast<size_t>(value)] == 1 && made_bytes(newest) <= graph_.bytes(value);
    const bool a_first = a.stamp < b.stamp;
    const Group& early = a_first ? a : b;
    const Group& late = a_first ? b : a;
    int32_t stamp = kNoIndex;
    if ((is_near || replaces) && can_precede(late, early)) {
      stamp = early.stamp;
    } else if (!early.is_used_outside && (is_near || held_bytes(early) <= graph_.bytes(value))) {
      stamp = late.stamp;
    }
    if (stamp == kNoIndex) return;
    a.stamp = stamp;
    a.row = row;
    a.has_columns = has_columns;
    a.num_reductions = num_reductions;
    a.time = std::max(a.time, b.time);
    a.num_operands += b.num_operands;
    a.is_used_outside = a.is_used_outside || b.is_used_outside;
    for (int32_t member : b.members) group_of_[static_cast<size_t>(member)] = theirs;
    a.members.insert(a.members.end(), b.members.begin(), b.members.end());
    b.members.clear();
  }

  // Whether all outside inputs of `late` are available when `early` runs.
  bool can_precede(const Group& late, const Group& early) const {
    for (int32_t member : late.members) {
      for (ValueId input : inputs(member)) {
        const int32_t group = group_of(input);
        if (group != kNoIndex && !needs_all(node(member), input)) {
          const Group* owner = &groups_[static_cast<size_t>(group)];
          if (owner == &late || owner == &early) continue;
        }
        if (after(input) >= early.stamp) return false;
      }
    }
    return true;
  }

  int64_t made_bytes(const Node& node) const {
    int64_t bytes = 0;
    for (ValueId k = 0; k < node.num_outputs; ++k) bytes += graph_.bytes(node.first_output + k);
    return bytes;
  }

  // Bytes of other ops' results that must stay live while the group waits.
  int64_t held_bytes(const Group& group) const {
    int64_t bytes = 0;
    for (int32_t member : group.members) {
      for (ValueId input : inputs(member)) {
        const int32_t at = position(input);
        if (at == kNoIndex) continue;
        const int32_t owner = group_of_[static_cast<size_t>(at)];
        if (owner == kNoIndex || &groups_[static_cast<size_t>(owner)] != &group)
          bytes += graph_.bytes(input);
      }
    }
    return bytes;
  }

  const Graph& graph_;
  std::span<const NodeId> nodes_;
  std::vector<int32_t> position_;   // of nodes
  std::vector<int32_t> uses_;       // of values: by ops, outputs and writes
  std::vector<int32_t> group_of_;   // by position
  std::vector<int32_t> after_;      // by position, for nodes without a group
  std::vector<bool> is_reduction_;  // by position: it accumulates its group's tiles
  std::vector<Group> groups_;
  int32_t next_stamp_ = 0;
  int32_t time_ = 0;
};

}  // namespace

std::vector<int32_t> find_groups(const Graph& graph, std::span<const NodeId> nodes) {
  std::vector<int32_t> groups = GroupFinder(graph, nodes).find();
  group_epilogues(graph, nodes, groups);
  group_scalars(graph, nodes, groups);
  return groups;
}

}  // namespace penstock::exec
