#include "exec/tiles.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include <penstock/base/threads.h>
#include <penstock/memory/buffer.h>

namespace penstock::exec {
namespace {

using Kind = TileOperand::Kind;

// Below this a worker has too little to do to be worth waking.
constexpr int64_t kElementsAWorker = 1 << 15;

// Gives the group's own values their slots, in the order in which the ops run.
class Builder {
 public:
  Builder(const Graph& graph, std::span<const NodeId> nodes,
          const std::function<bool(ValueId)>& is_kept)
      : graph_(graph), nodes_(nodes), is_kept_(is_kept) {
    const Shape& shape = graph.shape(graph.node(nodes[0]).first_output);
    tiles_.elements = shape.num_elements();
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (ValueId input : graph.inputs(graph.node(nodes[i]))) last_use_[input] = i;
    }
  }

  Tiles build() {
    int64_t row = 1;
    for (NodeId id : nodes_) row = std::max(row, add_op(graph_.node(id)));
    tiles_.tile = std::max(row, kTileElements / row * row);
    tiles_.workers = static_cast<int32_t>(
        std::clamp<int64_t>(tiles_.elements / kElementsAWorker, 1, max_threads()));
    for (size_t i = 0; i < nodes_.size(); ++i) place_outputs(i);
    return std::move(tiles_);
  }

 private:
  int64_t add_op(const Node& node) {
    const Shape& shape = graph_.shape(node.first_output);
    TileOp made{
        node.op,         graph_.attrs(node), 1, static_cast<int32_t>(tiles_.operands.size()),
        node.num_inputs, node.num_outputs};
    for (ValueId input : graph_.inputs(node)) {
      const InputReach found = reach_of(graph_.shape(input), shape);
      TileOperand operand{.value = input, .dtype = graph_.dtype(input), .row = found.row};
      operand.kind = found.reach == Reach::kPrefix ? Kind::kRows
                     : found.reach != Reach::kFull ? Kind::kWhole
                                                   : Kind::kSliced;  // or a slot: see place_outputs
      made.row = std::max(made.row, found.row);
      tiles_.operands.push_back(operand);
    }
    for (ValueId k = 0; k < node.num_outputs; ++k) {
      const ValueId value = node.first_output + k;
      tiles_.operands.push_back({.value = value,
                                 .kind = is_kept_(value) ? Kind::kSliced : Kind::kSlot,
                                 .dtype = graph_.dtype(value)});
    }
    tiles_.ops.push_back(made);
    return made.row;
  }

  int64_t slot_bytes(DType dtype) const {
    constexpr auto kStep = static_cast<int64_t>(kAlignment);
    const int64_t bytes = tiles_.tile * static_cast<int64_t>(dtype_size(dtype));
    return (bytes + kStep - 1) / kStep * kStep;
  }

  int64_t take_slot(DType dtype) {
    const int64_t bytes = slot_bytes(dtype);
    std::vector<int64_t>& free = free_[bytes];
    if (free.empty()) {
      tiles_.worker_bytes += bytes;
      return tiles_.worker_bytes - bytes;
    }
    const int64_t offset = free.back();
    free.pop_back();
    return offset;
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
      const auto found = slots_.find(input.value);
      if (found == slots_.end()) continue;
      input.kind = Kind::kSlot;
      input.offset = found->second;
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].kind != Kind::kSlot) continue;
      outputs[k].offset = overwritten(*op.op, inputs, outputs[k], k, i);
      if (outputs[k].offset < 0) outputs[k].offset = take_slot(outputs[k].dtype);
    }
    for (const TileOperand& input : inputs) {
      if (input.kind == Kind::kSlot && ends_at(input.value, i)) give_slot(input);
    }
    for (const TileOperand& output : outputs) {
      if (output.kind != Kind::kSlot) continue;
      slots_[output.value] = output.offset;
      if (!last_use_.contains(output.value)) give_slot(output);
    }
  }

  // The slot of an input that ends here and that output `k` may take over; -1 otherwise.
  int64_t overwritten(const OpDef& op, std::span<const TileOperand> inputs,
                      const TileOperand& output, size_t k, size_t i) {
    for (const Forward& forward : op.forwards) {
      if (forward.output != k || forward.input >= inputs.size()) continue;
      const TileOperand& input = inputs[forward.input];
      if (input.kind != Kind::kSlot || input.dtype != output.dtype || !ends_at(input.value, i))
        continue;
      const auto found = slots_.find(input.value);
      if (found == slots_.end()) continue;  // another output has it
      slots_.erase(found);
      return input.offset;
    }
    return -1;
  }

  // Once for every value: one that an output took over has no entry any more.
  void give_slot(const TileOperand& operand) {
    const auto found = slots_.find(operand.value);
    if (found == slots_.end()) return;
    free_[slot_bytes(operand.dtype)].push_back(found->second);
    slots_.erase(found);
  }

  const Graph& graph_;
  std::span<const NodeId> nodes_;
  const std::function<bool(ValueId)>& is_kept_;
  Tiles tiles_;
  std::unordered_map<ValueId, size_t> last_use_;
  std::unordered_map<ValueId, int64_t> slots_;              // of values that are still needed
  std::unordered_map<int64_t, std::vector<int64_t>> free_;  // by size
};

// One worker's Views, and the loop over its tiles.
class Worker {
 public:
  Worker(const Tiles& tiles, char* const* bases, char* slots)
      : tiles_(tiles), bases_(bases), slots_(slots) {
    for (size_t i = 0; i < tiles.operands.size(); ++i) views_[i].dtype = tiles.operands[i].dtype;
  }

  TilesResult run(int64_t begin, int64_t end) {
    const int64_t n = end - begin;
    if (n != shaped_for_) shape(n);
    for (const TileOp& op : tiles_.ops) {
      View* const views = views_ + op.first_operand;
      const int32_t count = op.num_inputs + op.num_outputs;
      for (int32_t i = 0; i < count; ++i)
        views[i].data = address(tiles_.operands[static_cast<size_t>(op.first_operand + i)], begin);
      const KernelResult result =
          op.op->cpu({{views, static_cast<size_t>(op.num_inputs)},
                      {views + op.num_inputs, static_cast<size_t>(op.num_outputs)},
                      op.attrs,
                      nullptr});
      if (__builtin_expect(result.problem != nullptr, 0)) return {op.op, result};
    }
    return {};
  }

 private:
  char* address(const TileOperand& operand, int64_t begin) const {
    const auto width = static_cast<int64_t>(dtype_size(operand.dtype));
    switch (operand.kind) {
      case Kind::kSlot:
        return slots_ + operand.offset;
      case Kind::kSliced:
        return bases_[operand.storage] + operand.offset + begin * width;
      case Kind::kRows:
        return bases_[operand.storage] + operand.offset + begin / operand.row * width;
      case Kind::kWhole:
        break;
    }
    return bases_[operand.storage] + operand.offset;
  }

  void shape(int64_t n) {
    shaped_for_ = n;
    for (const TileOp& op : tiles_.ops) {
      const int32_t count = op.num_inputs + op.num_outputs;
      for (int32_t i = op.first_operand; i < op.first_operand + count; ++i) {
        const TileOperand& operand = tiles_.operands[static_cast<size_t>(i)];
        Shape& made = views_[i].shape;
        if (operand.kind == Kind::kWhole) {
          made = operand.row == 1 ? Shape{} : Shape{operand.row};
        } else if (op.row == 1) {
          made = Shape{n};
        } else {
          made = Shape{n / op.row, operand.kind == Kind::kRows ? 1 : op.row};
        }
      }
    }
  }

  const Tiles& tiles_;
  char* const* bases_;
  char* slots_;
  int64_t shaped_for_ = -1;
  View views_[kMostTileOperands];
};

}  // namespace

InputReach reach_of(const Shape& input, const Shape& output) {
  // Dimensions of one element aside, an input either has or repeats each of the output's.
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

bool Tiles::may_overwrite(ValueId input, ValueId output) const {
  bool is_written = false;
  for (const TileOp& op : ops) {
    const std::span<const TileOperand> all(operands.data() + op.first_operand,
                                           static_cast<size_t>(op.num_inputs + op.num_outputs));
    const auto inputs = all.first(static_cast<size_t>(op.num_inputs));
    const auto outputs = all.subspan(static_cast<size_t>(op.num_inputs));
    bool is_read = false, can_forward = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].value != input) continue;
      is_read = true;
      if (inputs[i].kind != Kind::kSliced || is_written) return false;
      for (const Forward& forward : op.op->forwards) {
        can_forward = can_forward || (forward.input == i && forward.output < outputs.size() &&
                                      outputs[forward.output].value == output);
      }
    }
    for (const TileOperand& each : outputs) is_written = is_written || each.value == output;
    if (is_written && is_read && !can_forward) return false;
  }
  return true;
}

Tiles make_tiles(const Graph& graph, std::span<const NodeId> nodes,
                 const std::function<bool(ValueId)>& is_kept) {
  return Builder(graph, nodes, is_kept).build();
}

TilesResult run_tiles(const Tiles& tiles, char* const* bases, char* scratch) noexcept {
  const int64_t count = (tiles.elements + tiles.tile - 1) / tiles.tile;
  const auto workers = std::min<int64_t>({tiles.workers, num_threads(), count});
  const int64_t part = std::max<int64_t>(1, count / (workers * 8));
  std::atomic<int64_t> next{0};
  std::mutex mutex;  // taken on errors only
  TilesResult first;
  int64_t first_tile = count;
  parallel_for(workers, 1, [&](int64_t from, int64_t to) {
    for (int64_t w = from; w < to; ++w) {
      Worker worker(tiles, bases, scratch + w * tiles.worker_bytes);
      for (int64_t begin; (begin = next.fetch_add(part, std::memory_order_relaxed)) < count;) {
        for (int64_t t = begin; t < std::min(count, begin + part); ++t) {
          const TilesResult result =
              worker.run(t * tiles.tile, std::min(tiles.elements, (t + 1) * tiles.tile));
          if (result.failed == nullptr) continue;
          const std::lock_guard lock(mutex);
          if (t < first_tile) {
            first_tile = t;
            first = result;
          }
          next.store(count, std::memory_order_relaxed);
          return;
        }
      }
    }
  });
  return first;
}

}  // namespace penstock::exec
