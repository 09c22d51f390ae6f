#include "exec/compile/fusion/tiles.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <penstock/base/threads.h>
#include <penstock/memory/buffer.h>

#include "exec/compile/fusion/tile_chains.h"
#include "kernels/formula.h"
#include "ops/reduction.h"

namespace penstock::exec {
namespace {

using Kind = TileOperand::Kind;

// With fewer elements it does not pay to wake a worker.
constexpr int64_t kElementsAWorker = 1 << 15;

// Gives the group's internal values their slots, in the order of the ops.
class TileBuilder {
 public:
  TileBuilder(const Graph& graph, std::span<const NodeId> nodes,
              const std::function<bool(ValueId)>& is_kept)
      : graph_(graph), nodes_(nodes), is_kept_(is_kept) {
    for (NodeId id : nodes) {
      const Node& node = graph.node(id);
      row_ = std::max(row_, reduced_row(graph, node));
      tiles_.elements = std::max(tiles_.elements, elements(node.first_output));
      for (ValueId input : graph.inputs(node))
        tiles_.elements = std::max(tiles_.elements, elements(input));
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (ValueId input : graph.inputs(graph.node(nodes[i]))) last_use_[input] = i;
    }
  }

  Tiles build() {
    int64_t row = row_;
    for (NodeId id : nodes_) row = std::max(row, add_op(graph_.node(id)));
    tiles_.tile = std::max(row, kTileElements / row * row);
    tiles_.workers = static_cast<int32_t>(
        std::clamp<int64_t>(tiles_.elements / kElementsAWorker, 1, max_threads()));
    if (tiles_.num_whole == 0) {
      const int64_t count = (tiles_.elements + tiles_.tile - 1) / tiles_.tile;
      tiles_.parts = std::min<int64_t>(count, tiles_.workers == 1 ? 1 : 8 * tiles_.workers);
    } else {
      tiles_.parts = kernels::num_reduce_parts(tiles_.elements);
      tiles_.workers = static_cast<int32_t>(std::min<int64_t>(tiles_.workers, tiles_.parts));
    }
    find_chains();
    for (size_t i = 0; i < nodes_.size(); ++i) place_outputs(i);
    for (TileChain& chain : tiles_.chains) chain = make_chain(tiles_, chain.first, chain.num_ops);
    return std::move(tiles_);
  }

 private:
  int64_t elements(ValueId value) const { return graph_.shape(value).num_elements(); }

  // Returns the row length of repeated operands.
  int64_t add_op(const Node& node) {
    if (is_whole_reduction(graph_, node)) return add_reduction(node, TileOp::Kind::kWhole, 1);
    if (const int64_t row = reduced_row(graph_, node); row != 0)
      return add_reduction(node, TileOp::Kind::kRows, row);
    const Shape& shape = graph_.shape(node.first_output);
    const bool is_column = shape.num_elements() != tiles_.elements;
    TileOp tile_op{node.op,
                   graph_.attrs(node),
                   is_column ? TileOp::Kind::kColumn : TileOp::Kind::kElements,
                   is_column ? row_ : 1,
                   static_cast<int32_t>(tiles_.operands.size()),
                   node.num_inputs,
                   node.num_outputs};
    for (ValueId input : graph_.inputs(node)) {
      const InputReach reach = reach_of(graph_.shape(input), shape);
      TileOperand operand{.value = input, .dtype = graph_.dtype(input), .row = reach.row};
      if (reach.reach == Reach::kFull) {
        operand = operand_of(input, is_column, Kind::kSliced);  // or a slot: see place_outputs
      } else {
        operand.kind = reach.reach == Reach::kPrefix ? Kind::kColumn : Kind::kWhole;
        tile_op.row = std::max(tile_op.row, reach.row);
      }
      tiles_.operands.push_back(operand);
    }
    for (ValueId k = 0; k < node.num_outputs; ++k) {
      const ValueId value = node.first_output + k;
      tiles_.operands.push_back(
          operand_of(value, is_column, is_kept_(value) ? Kind::kSliced : Kind::kSlot));
    }
    tiles_.ops.push_back(tile_op);
    return tile_op.row;
  }

  // The operand of a full value, or of a column.
  TileOperand operand_of(ValueId value, bool is_column, Kind kind) const {
    if (is_column) kind = kind == Kind::kSliced ? Kind::kColumn : Kind::kSlotColumn;
    return {
        .value = value, .kind = kind, .dtype = graph_.dtype(value), .row = is_column ? row_ : 1};
  }

  int64_t add_reduction(const Node& node, TileOp::Kind kind, int64_t row) {
    const ValueId input = graph_.inputs(node)[0], output = node.first_output;
    const bool is_whole = kind == TileOp::Kind::kWhole;
    const kernels::Reduction reduction = node.op->cpu.formula->reduction();
    const auto first = static_cast<int32_t>(tiles_.operands.size());
    tiles_.ops.push_back({node.op, graph_.attrs(node), kind, row, first, 1, 1,
                          static_cast<int32_t>(tiles_.reductions.size())});
    const int64_t count = is_whole ? tiles_.elements : row;
    tiles_.reductions.push_back({kernels::reduce_steps(reduction, graph_.dtype(input)),
                                 reduction == kernels::Reduction::kMean ? count : 1, first + 1,
                                 is_whole});
    if (is_whole) ++tiles_.num_whole;
    tiles_.operands.push_back(operand_of(input, false, Kind::kSliced));
    tiles_.operands.push_back(
        is_whole ? TileOperand{.value = output, .kind = Kind::kWhole, .dtype = graph_.dtype(output)}
                 : operand_of(output, true, is_kept_(output) ? Kind::kSliced : Kind::kSlot));
    return row;
  }

  // Values that no op after their chain needs stay inside it.
  void find_chains() {
    const auto count = static_cast<int32_t>(tiles_.ops.size());
    for (int32_t first = 0; first < count;) {
      const int32_t length = chain_length(tiles_, first);
      const int32_t end = first + std::max(length, 1);
      if (length >= 2) add_chain(first, length);
      for (; first < end && length >= 2; ++first) {
        const TileOp& op = tiles_.ops[static_cast<size_t>(first)];
        TileOperand& output =
            tiles_.operands[static_cast<size_t>(op.first_operand + op.num_inputs)];
        if (output.kind == Kind::kSlot && last_use_[output.value] < static_cast<size_t>(end)) {
          output.kind = Kind::kInside;
          inside_.insert(output.value);
        }
      }
      first = end;
    }
  }

  void add_chain(int32_t first, int32_t num_ops) {
    TileChain chain;  // its steps are made when all places are known
    chain.first = first;
    chain.num_ops = num_ops;
    tiles_.chains.push_back(std::move(chain));
  }

  int64_t slot_bytes(const TileOperand& operand) const {
    constexpr auto kStep = static_cast<int64_t>(kAlignment);
    const int64_t elements = operand.is_column() ? tiles_.tile / row_ : tiles_.tile;
    const int64_t bytes = elements * static_cast<int64_t>(dtype_size(operand.dtype));
    return (bytes + kStep - 1) / kStep * kStep;
  }

  int64_t take_slot(const TileOperand& operand) {
    const int64_t bytes = slot_bytes(operand);
    std::vector<int64_t>& free = free_[bytes];
    if (free.empty()) {
      tiles_.worker_bytes += bytes;
      return tiles_.worker_bytes - bytes;
    }
    const int64_t offset = free.back();
    free.pop_back();
    return offset;
  }

  static bool is_slot(const TileOperand& operand) {
    return operand.kind == Kind::kSlot || operand.kind == Kind::kSlotColumn;
  }

  bool ends_at(ValueId value, size_t i) const {
    const auto found = last_use_.find(value);
    return found == last_use_.end() || found->second == i;
  }

  void place_outputs(size_t i) {
    const TileOp& op = tiles_.ops[i];
    const std::span<TileOperand> inputs(tiles_.operands.data() + op.first_operand,
                                        static_cast<size_t>(op.num_inputs));
    const std::span<TileOperand> outputs(inputs.data() + inputs.size(),
                                         static_cast<size_t>(op.num_outputs));
    for (TileOperand& input : inputs) {
      if (inside_.contains(input.value)) input.kind = Kind::kInside;
      const auto found = slots_.find(input.value);
      if (found == slots_.end()) continue;
      input.kind = input.is_column() ? Kind::kSlotColumn : Kind::kSlot;
      input.offset = found->second;
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (!is_slot(outputs[k])) continue;
      outputs[k].offset = overwritten(*op.op, inputs, outputs[k], k, i);
      if (outputs[k].offset < 0) outputs[k].offset = take_slot(outputs[k]);
    }
    for (const TileOperand& input : inputs) {
      if (is_slot(input) && ends_at(input.value, i)) give_slot(input);
    }
    for (const TileOperand& output : outputs) {
      if (!is_slot(output)) continue;
      slots_[output.value] = output.offset;
      if (!last_use_.contains(output.value)) give_slot(output);
    }
  }

  // The slot of an input whose last use this is and that output `k` may take over; -1 otherwise.
  int64_t overwritten(const OpDef& op, std::span<const TileOperand> inputs,
                      const TileOperand& output, size_t k, size_t i) {
    for (const Forward& forward : op.forwards) {
      if (forward.output != k || forward.input >= inputs.size()) continue;
      const TileOperand& input = inputs[forward.input];
      if (!is_slot(input) || input.kind != output.kind || input.dtype != output.dtype ||
          !ends_at(input.value, i))
        continue;
      const auto found = slots_.find(input.value);
      if (found == slots_.end()) continue;  // another output has taken it
      slots_.erase(found);
      return input.offset;
    }
    return -1;
  }

  // Once per value: a slot that an output took over has no entry any more.
  void give_slot(const TileOperand& operand) {
    const auto found = slots_.find(operand.value);
    if (found == slots_.end()) return;
    free_[slot_bytes(operand)].push_back(found->second);
    slots_.erase(found);
  }

  const Graph& graph_;
  std::span<const NodeId> nodes_;
  const std::function<bool(ValueId)>& is_kept_;
  Tiles tiles_;
  int64_t row_ = 1;  // of columns
  std::unordered_map<ValueId, size_t> last_use_;
  std::unordered_set<ValueId> inside_;                      // values that do not leave their chain
  std::unordered_map<ValueId, int64_t> slots_;              // of values that are still needed
  std::unordered_map<int64_t, std::vector<int64_t>> free_;  // by size
};

bool is_tile_reduction(const Graph& graph, const Node& node) {
  const kernels::Formula* formula = node.op == nullptr ? nullptr : node.op->cpu.formula;
  return formula != nullptr && formula->kind == kernels::Formula::Kind::kReduction &&
         graph.shape(graph.inputs(node)[0]).num_elements() > kTileElements &&
         !kComplexTypes.has(graph.dtype(node.first_output));
}

}  // namespace

bool is_whole_reduction(const Graph& graph, const Node& node) {
  static_assert(kTileElements % kernels::kReducePiece == 0);
  return is_tile_reduction(graph, node) && graph.shape(node.first_output).num_elements() == 1;
}

int64_t reduced_row(const Graph& graph, const Node& node) {
  if (!is_tile_reduction(graph, node)) return 0;
  const Shape& shape = graph.shape(graph.inputs(node)[0]);
  const uint32_t axes = reduced_axes(graph.attrs(node), shape.rank());
  int64_t row = 1, rows = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (((axes >> i) & 1) == 0) {
      rows *= shape[i];
    } else if (rows == 1) {
      row *= shape[i];
    } else {
      return 0;  // a reduced axis is followed by others
    }
  }
  return rows > 1 && row <= kMostRow && kernels::reduces_row_by_row(rows, row) ? row : 0;
}

InputReach reach_of(const Shape& input, const Shape& output) {
  // Except for dimensions of one element, an input either has or repeats each output dimension.
  int64_t had = 1, repeated = 1;
  int changes = 0;
  bool is_first = true, has_first = false, has_last = false;
  for (int i = 0; i < output.rank(); ++i) {
    if (output[i] == 1) continue;
    const int at = i - (output.rank() - input.rank());
    const bool has = at >= 0 && input[at] != 1;
    if (is_first) {
      has_first = has;
      is_first = false;
    } else if (has != has_last) {
      ++changes;
    }
    has_last = has;
    (has ? had : repeated) *= output[i];
  }
  if (changes > 1) return {};
  if (changes == 1)
    return has_first ? InputReach{Reach::kPrefix, repeated} : InputReach{Reach::kSuffix, had};
  return {has_last || is_first ? Reach::kFull : Reach::kOne, 1};
}

Tiles make_tiles(const Graph& graph, std::span<const NodeId> nodes,
                 const std::function<bool(ValueId)>& is_kept) {
  return TileBuilder(graph, nodes, is_kept).build();
}

}  // namespace penstock::exec
