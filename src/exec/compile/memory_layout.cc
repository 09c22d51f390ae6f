#include "exec/compile/memory_layout.h"

#include <algorithm>

#include <penstock/base/check.h>
#include <penstock/plan/offsets.h>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {
namespace {

using Kind = Storage::Kind;

class Placer {
 public:
  Placer(const Graph& graph, std::vector<Step> steps, std::span<const int64_t> control_scratch)
      : graph_(graph), control_scratch_(control_scratch) {
    layout_.steps = std::move(steps);
    layout_.places.resize(graph.num_values());
    last_use_.assign(graph.num_values(), kNoIndex);
    written_.assign(graph.num_values(), kNoIndex);
  }

  MemoryLayout build() {
    find_last_uses();
    place_leaves();
    for (int32_t i = 0; i < end(); ++i) {
      taken_.clear();
      place_step(step(i), i);
    }
    place_outputs();
    place_writes();
    lay_out();
    return std::move(layout_);
  }

 private:
  Storage& storage(int32_t index) { return layout_.storages[static_cast<size_t>(index)]; }
  Place& place(ValueId value) { return layout_.places[static_cast<size_t>(value)]; }
  int32_t& last_use(ValueId value) { return last_use_[static_cast<size_t>(value)]; }
  int32_t end() const { return static_cast<int32_t>(layout_.steps.size()); }
  Step& step(int32_t i) { return layout_.steps[static_cast<size_t>(i)]; }

  void place_step(Step& step, int32_t i) {
    switch (step.kind()) {
      case Step::Kind::kShared:
      case Step::Kind::kKernel:
        return place_node(step, i);
      case Step::Kind::kDirectLoop:
        place_node(step, i);
        return place_loop(step.loop());
      case Step::Kind::kScalars:
        return place_scalars(step.scalars(), i);
      case Step::Kind::kTiles:
        return place_tiles(step, i);
      case Step::Kind::kProduct:
        return place_product(step, i);
      case Step::Kind::kControl:
        return place_control(step, i);
    }
  }

  void place_loop(DirectLoop& loop) {
    for (size_t i = 0; i < std::size(loop.values); ++i) {
      if (loop.values[i] != kNoIndex) loop.places[i] = place(loop.values[i]);
    }
  }

  void find_last_uses() {
    for (int32_t i = 0; i < end(); ++i) {
      for (NodeId id : step(i).nodes) {
        for (ValueId input : graph_.inputs(graph_.node(id))) last_use(input) = i;
      }
    }
    for (ValueId output : graph_.outputs()) last_use(output) = end();
    for (const Write& write : graph_.writes()) {
      last_use(write.value) = end();
      written_[static_cast<size_t>(write.value)] = write.slot;
    }
  }

  int32_t add_storage(Kind kind, int32_t index, ValueId value, int32_t first) {
    Storage storage;
    storage.kind = kind;
    storage.index = index;
    storage.bytes = graph_.bytes(value);
    storage.first = first;
    storage.last = std::max(first, last_use(value));
    storage.value = value;
    layout_.storages.push_back(storage);
    return static_cast<int32_t>(layout_.storages.size() - 1);
  }

  void put(ValueId value, int32_t in_storage, int64_t offset) {
    place(value) = {in_storage, offset};
    storage(in_storage).last = std::max(storage(in_storage).last, last_use(value));
  }

  void place_leaves() {
    for (const Node& node : graph_.nodes()) {
      if (node.kind == NodeKind::kOp || node.kind == NodeKind::kControl ||
          last_use(node.first_output) == kNoIndex)
        continue;
      const Kind kind = node.kind == NodeKind::kInput      ? Kind::kInput
                        : node.kind == NodeKind::kConstant ? Kind::kConstant
                                                           : Kind::kVariable;
      put(node.first_output, add_storage(kind, node.index, node.first_output, -1), 0);
      if (kind == Kind::kVariable) reads_.push_back({node.index, place(node.first_output).storage});
    }
  }

  // Whether `value`, made by instruction `i`, fits into the storage of its input, whose lifetime
  // ends there.
  bool fits(ValueId value, ValueId input, int32_t i) {
    const Place& from = place(input);
    const Storage& under = storage(from.storage);
    const bool may_write =
        under.kind == Kind::kArena ||
        (under.kind == Kind::kVariable && written_[static_cast<size_t>(value)] == under.index);
    return may_write && under.last <= i &&
           std::find(taken_.begin(), taken_.end(), from.storage) == taken_.end() &&
           from.offset == 0 && under.bytes == graph_.bytes(value) &&
           graph_.dtype(input) == graph_.dtype(value) && graph_.shape(input) == graph_.shape(value);
  }

  // The memory of the variable that `value` is written to, if nothing reads the old value from
  // instruction `i` on; kNoIndex otherwise.
  int32_t own_variable(ValueId value, int32_t i) {
    const int32_t slot = written_[static_cast<size_t>(value)];
    if (slot == kNoIndex) return kNoIndex;
    const auto found = std::find_if(reads_.begin(), reads_.end(),
                                    [&](const auto& read) { return read.first == slot; });
    if (found == reads_.end()) return kNoIndex;
    const Storage& under = storage(found->second);
    return under.last < i && under.bytes == graph_.bytes(value) ? found->second : kNoIndex;
  }

  // The storage that output `k` of instruction `i` may take over from an input; kNoIndex otherwise.
  // A variable's storage comes first, because it saves a copy.
  int32_t overwritten(const Node& node, size_t k, int32_t i) {
    const ValueId value = node.first_output + static_cast<ValueId>(k);
    const std::span<const ValueId> inputs = graph_.inputs(node);
    int32_t found = kNoIndex;
    for (const Forward& forward : node.op->forwards) {
      if (forward.output != k || forward.input >= inputs.size()) continue;
      if (!fits(value, inputs[forward.input], i)) continue;
      if (is_read_elsewhere(node, forward.input)) continue;
      found = better(found, place(inputs[forward.input]).storage);
    }
    return found;
  }

  int32_t better(int32_t found, int32_t other) {
    return found == kNoIndex || storage(other).kind == Kind::kVariable ? other : found;
  }

  // Whether another input has the same storage. That is harmless for an elementwise op that reads
  // the same elements; a repeated part would be overwritten before it is read.
  bool is_read_elsewhere(const Node& node, size_t which) {
    const std::span<const ValueId> inputs = graph_.inputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Place& other = place(inputs[i]);
      if (i == which || other.storage != place(inputs[which]).storage) continue;
      const bool is_same =
          other.offset == 0 && graph_.shape(inputs[i]) == graph_.shape(inputs[which]);
      if (!is_same || node.kind != NodeKind::kOp || !node.op->traits.has(Trait::kElementwise))
        return true;
    }
    return false;
  }

  void place_node(Step& step, int32_t i) {
    const Node& node = graph_.node(step.nodes[0]);
    SmallVector<View, 4> views;
    for (ValueId input : graph_.inputs(node)) views.push_back(graph_.view(input));
    InferContext infer(*node.op, views, graph_.attrs(node));
    node.op->infer.value(infer);
    for (size_t k = 0; k < node.num_outputs; ++k) {
      const ValueId value = node.first_output + static_cast<ValueId>(k);
      const OutputSpec& spec = infer.outputs()[k];
      if (spec.shares_input >= 0) {
        const Place& from = place(graph_.inputs(node)[static_cast<size_t>(spec.shares_input)]);
        put(value, from.storage, from.offset + spec.share_offset);
        continue;
      }
      put_new(value, overwritten(node, k, i), i);
    }
    if (step.kind() != Step::Kind::kShared && infer.scratch_bytes() > 0)
      step.scratch = add_scratch(infer.scratch_bytes(), i);
  }

  // A loop continues in the memory of its initial state, if nobody else needs that.
  void place_control(Step& step, int32_t i) {
    const Node& node = graph_.node(step.nodes[0]);
    const std::span<const ValueId> inputs = graph_.inputs(node);
    for (size_t k = 0; k < node.num_outputs; ++k) {
      const ValueId value = node.first_output + static_cast<ValueId>(k);
      const int32_t from = forwarded_input(*graph_.control(node), k, inputs.size());
      int32_t into = kNoIndex;
      if (from != kNoIndex) {
        const ValueId input = inputs[static_cast<size_t>(from)];
        if (fits(value, input, i) && !is_read_elsewhere(node, static_cast<size_t>(from)))
          into = place(input).storage;
      }
      put_control(value, into, i);
    }
    step.scratch = add_scratch(control_scratch_[static_cast<size_t>(step.control())], i);
  }

  // Unlike an op's, a control's result is written while inputs are still read.
  void put_control(ValueId value, int32_t into, int32_t i) {
    if (into != kNoIndex) {
      taken_.push_back(into);
    } else {
      into = add_storage(Kind::kArena, kNoIndex, value, i);
    }
    put(value, into, 0);
  }

  // A product with its epilogue: only the final value has a place.
  void place_product(Step& step, int32_t i) {
    const Node& product = graph_.node(step.nodes[0]);
    SmallVector<View, 4> views;
    for (ValueId input : graph_.inputs(product)) views.push_back(graph_.view(input));
    InferContext infer(*product.op, views, graph_.attrs(product));
    product.op->infer.value(infer);
    put_new(graph_.node(step.nodes.back()).first_output, kNoIndex, i);
    step.scratch = add_scratch(infer.scratch_bytes(), i);
  }

  // Places `value`, which instruction `i` makes, in the storage `into`, or in a new one.
  void put_new(ValueId value, int32_t into, int32_t i) {
    if (const int32_t own = own_variable(value, i); own != kNoIndex) into = own;
    if (into != kNoIndex) {
      taken_.push_back(into);
    } else {
      into = add_storage(Kind::kArena, kNoIndex, value, i);
    }
    put(value, into, 0);
  }

  // Ops on single elements: all reads precede all writes, so any storage that ends may be taken
  // over.
  void place_scalars(Scalars& scalars, int32_t i) {
    const auto put_in = [&](Scalars::Transfer& transfer) {
      transfer.storage = place(transfer.value).storage;
      transfer.offset = place(transfer.value).offset;
    };
    for (Scalars::Transfer& load : scalars.loads) put_in(load);
    for (Scalars::Transfer& store : scalars.stores) {
      int32_t into = kNoIndex;
      for (const Scalars::Transfer& load : scalars.loads) {
        if (fits(store.value, load.value, i)) into = better(into, load.storage);
      }
      put_new(store.value, into, i);
      put_in(store);
    }
  }

  // Ops that run tile by tile: only values used outside have a place.
  void place_tiles(Step& step_of_tiles, int32_t i) {
    Tiles& tiles = step_of_tiles.tiles();
    for (const TileOp& op : tiles.ops) {
      for (int32_t k = 0; k < op.num_outputs; ++k) {
        const TileOperand& output = tiles.operand(op, op.num_inputs + k);
        if (output.is_outside()) put_new(output.value, overwritten(tiles, output.value, i), i);
      }
    }
    for (TileOperand& operand : tiles.operands) {
      if (!operand.is_outside()) continue;
      operand.storage = place(operand.value).storage;
      operand.offset = place(operand.value).offset;
    }
    if (tiles.scratch_bytes() > 0) step_of_tiles.scratch = add_scratch(tiles.scratch_bytes(), i);
  }

  // As for one op; in addition, no other input of the group may share the storage.
  int32_t overwritten(const Tiles& tiles, ValueId value, int32_t i) {
    int32_t found = kNoIndex;
    for (const TileOperand& operand : tiles.operands) {
      const ValueId input = operand.value;
      if (operand.kind != TileOperand::Kind::kSliced || place(input).storage == kNoIndex) continue;
      if (!fits(value, input, i) || !tiles.may_overwrite(input, value)) continue;
      const int32_t into = place(input).storage;
      const bool is_shared =
          std::any_of(tiles.operands.begin(), tiles.operands.end(), [&](const TileOperand& other) {
            return other.value != input && place(other.value).storage == into;
          });
      if (!is_shared) found = better(found, into);
    }
    return found;
  }

  int32_t add_scratch(int64_t bytes, int32_t i) {
    Storage storage;
    storage.is_scratch = true;
    storage.bytes = bytes;
    storage.first = storage.last = i;
    layout_.storages.push_back(storage);
    return static_cast<int32_t>(layout_.storages.size() - 1);
  }

  // An output that is computed here gets its own buffer from the start.
  void place_outputs() {
    for (ValueId output : graph_.outputs()) {
      Storage& under = storage(place(output).storage);
      if (under.kind != Kind::kArena) continue;
      under.kind = Kind::kOutput;
      under.index = layout_.num_outputs++;
      layout_.output_bytes += under.bytes;
    }
  }

  void place_writes() {
    std::vector<bool> is_slot_written;
    for (const Write& write : graph_.writes()) {
      const auto slot = static_cast<size_t>(write.slot);
      if (slot >= is_slot_written.size()) is_slot_written.resize(slot + 1);
      is_slot_written[slot] = true;
    }
    for (const Write& write : graph_.writes()) {
      const Storage& under = storage(place(write.value).storage);
      const bool moves = under.kind == Kind::kVariable && under.index != write.slot &&
                         static_cast<size_t>(under.index) < is_slot_written.size() &&
                         is_slot_written[static_cast<size_t>(under.index)];
      layout_.temporary.push_back(moves ? add_storage(Kind::kArena, kNoIndex, write.value, end())
                                        : kNoIndex);
    }
  }

  void lay_out() {
    std::vector<plan::Block> blocks;
    std::vector<size_t> of;
    for (size_t s = 0; s < layout_.storages.size(); ++s) {
      const Storage& storage = layout_.storages[s];
      if (storage.kind != Kind::kArena || storage.bytes == 0) continue;
      blocks.push_back({storage.first, storage.last + 1, storage.bytes});
      of.push_back(s);
    }
    const plan::Options options{.alignment = static_cast<int64_t>(kAlignment)};
    const plan::Layout arena = plan::plan_offsets(blocks, options);
    PEN_CHECK(plan::find_fault(blocks, arena.offsets, arena.height, options.alignment).empty());
    for (size_t b = 0; b < blocks.size(); ++b) layout_.storages[of[b]].offset = arena.offsets[b];
    layout_.arena_bytes = arena.height;
    layout_.lower_bound = arena.lower_bound;
  }

  const Graph& graph_;
  std::span<const int64_t> control_scratch_;
  MemoryLayout layout_;
  std::vector<int32_t> last_use_;  // by value: an instruction, or end() for results
  std::vector<int32_t> written_;   // by value: the slot that it is written to
  std::vector<std::pair<int32_t, int32_t>> reads_;  // slots and their storages
  std::vector<int32_t> taken_;                      // storages that this instruction has taken over
};

}  // namespace

MemoryLayout make_layout(const Graph& graph, std::vector<Step> steps,
                         std::span<const int64_t> control_scratch) {
  return Placer(graph, std::move(steps), control_scratch).build();
}

}  // namespace penstock::exec
