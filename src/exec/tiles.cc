#include "exec/tiles.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <penstock/base/threads.h>
#include <penstock/memory/buffer.h>

#include "exec/strips.h"
#include "kernels/formula.h"

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
    if (tiles_.reductions.empty()) {
      const int64_t count = (tiles_.elements + tiles_.tile - 1) / tiles_.tile;
      tiles_.parts = std::min<int64_t>(count, tiles_.workers == 1 ? 1 : 8 * tiles_.workers);
    } else {
      tiles_.parts = kernels::num_reduce_parts(tiles_.elements);
      tiles_.workers = static_cast<int32_t>(std::min<int64_t>(tiles_.workers, tiles_.parts));
    }
    find_strips();
    for (size_t i = 0; i < nodes_.size(); ++i) place_outputs(i);
    for (Strip& strip : tiles_.strips) strip = make_strip(tiles_, strip.first, strip.num_ops);
    return std::move(tiles_);
  }

 private:
  int64_t add_op(const Node& node) {
    if (is_whole_reduction(graph_, node)) return add_reduction(node);
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

  int64_t add_reduction(const Node& node) {
    const ValueId input = graph_.inputs(node)[0];
    const kernels::Reduction reduction = node.op->cpu.formula->reduction();
    const auto first = static_cast<int32_t>(tiles_.operands.size());
    tiles_.ops.push_back({node.op, graph_.attrs(node), 1, first, 1, 1,
                          static_cast<int32_t>(tiles_.reductions.size())});
    tiles_.reductions.push_back({kernels::reduce_steps(reduction, graph_.dtype(input)),
                                 reduction == kernels::Reduction::kMean ? tiles_.elements : 1,
                                 first + 1});
    tiles_.operands.push_back(
        {.value = input, .kind = Kind::kSliced, .dtype = graph_.dtype(input)});
    tiles_.operands.push_back(
        {.value = node.first_output, .kind = Kind::kWhole, .dtype = graph_.dtype(input)});
    return 1;
  }

  // What no op after a strip needs does not leave it.
  void find_strips() {
    const auto count = static_cast<int32_t>(tiles_.ops.size());
    for (int32_t first = 0; first < count;) {
      const int32_t length = strip_length(tiles_, first);
      const int32_t end = first + std::max(length, 1);
      if (length >= 2) add_strip(first, length);
      for (; first < end && length >= 2; ++first) {
        const TileOp& op = tiles_.ops[static_cast<size_t>(first)];
        TileOperand& made = tiles_.operands[static_cast<size_t>(op.first_operand + op.num_inputs)];
        if (made.kind == Kind::kSlot && last_use_[made.value] < static_cast<size_t>(end)) {
          made.kind = Kind::kInside;
          inside_.insert(made.value);
        }
      }
      first = end;
    }
  }

  void add_strip(int32_t first, int32_t num_ops) {
    Strip strip;  // its steps come when all places are known
    strip.first = first;
    strip.num_ops = num_ops;
    tiles_.strips.push_back(std::move(strip));
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
      if (inside_.contains(input.value)) input.kind = Kind::kInside;
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
  std::unordered_set<ValueId> inside_;                      // values that do not leave their strip
  std::unordered_map<ValueId, int64_t> slots_;              // of values that are still needed
  std::unordered_map<int64_t, std::vector<int64_t>> free_;  // by size
};

// What the reductions have taken in, part by part.
struct Accumulators {
  alignas(16) char bytes[kMostTileReductions][kernels::kMaxReduceParts][kernels::kMaxAccumulator];
};

// One worker's Views, and the ops on one tile.
class Worker {
 public:
  Worker(const Tiles& tiles, char* const* bases, char* slots, Accumulators& accumulators)
      : tiles_(tiles), bases_(bases), slots_(slots), accumulators_(accumulators) {
    for (size_t i = 0; i < tiles.operands.size(); ++i) views_[i].dtype = tiles.operands[i].dtype;
  }

  TilesResult run(int64_t begin, int64_t end, int64_t part) {
    const int64_t n = end - begin;
    if (n != shaped_for_) shape(n);
    auto strip = tiles_.strips.begin();
    for (size_t i = 0; i < tiles_.ops.size(); ++i) {
      const TileOp& op = tiles_.ops[i];
      if (strip != tiles_.strips.end() && static_cast<size_t>(strip->first) == i) {
        run_strip(tiles_, *strip, n,
                  [&](const TileOperand& operand) { return address(operand, begin); });
        i += static_cast<size_t>(strip->num_ops) - 1;
        ++strip;
        continue;
      }
      if (op.reduction != kNoIndex) {
        tiles_.reductions[static_cast<size_t>(op.reduction)].steps.loops.rows(
            address(tiles_.operand(op, 0), begin), 1, n, n,
            accumulators_.bytes[op.reduction][part]);
        continue;
      }
      View* const views = views_ + op.first_operand;
      const int32_t count = op.num_inputs + op.num_outputs;
      for (int32_t k = 0; k < count; ++k) views[k].data = address(tiles_.operand(op, k), begin);
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
      case Kind::kInside:
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
  Accumulators& accumulators_;
  int64_t shaped_for_ = -1;
  View views_[kMostTileOperands];
};

void start_reductions(const Tiles& tiles, Accumulators& accumulators) {
  for (size_t r = 0; r < tiles.reductions.size(); ++r) {
    for (int64_t p = 0; p < tiles.parts; ++p)
      tiles.reductions[r].steps.start(accumulators.bytes[r][p], 1);
  }
}

void finish_reductions(const Tiles& tiles, Accumulators& accumulators, char* const* bases) {
  for (size_t r = 0; r < tiles.reductions.size(); ++r) {
    const TileReduction& reduction = tiles.reductions[r];
    auto& parts = accumulators.bytes[r];
    for (int64_t p = 1; p < tiles.parts; ++p) reduction.steps.merge(parts[0], parts[p], 1);
    const TileOperand& output = tiles.operands[static_cast<size_t>(reduction.output)];
    reduction.steps.finish(parts[0], 1, reduction.divisor, bases[output.storage] + output.offset);
  }
}

}  // namespace

bool is_whole_reduction(const Graph& graph, const Node& node) {
  static_assert(kTileElements % kernels::kReducePiece == 0);
  const kernels::Formula* formula = node.op->cpu.formula;
  return formula != nullptr && formula->kind == kernels::Formula::Kind::kReduction &&
         graph.shape(node.first_output).num_elements() == 1 &&
         graph.shape(graph.inputs(node)[0]).num_elements() > kTileElements &&
         !kComplexTypes.has(graph.dtype(node.first_output));
}

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
  const int64_t workers = std::min<int64_t>(tiles.workers, num_threads());
  Accumulators accumulators;
  start_reductions(tiles, accumulators);
  std::atomic<int64_t> next{0};
  std::mutex mutex;  // taken on errors only
  TilesResult first;
  int64_t first_at = tiles.elements;
  const auto work_on = [&](Worker& worker, int64_t part) {
    const int64_t to = tiles.part_begin(part + 1);
    for (int64_t begin = tiles.part_begin(part); begin < to; begin += tiles.tile) {
      const TilesResult result = worker.run(begin, std::min(to, begin + tiles.tile), part);
      if (result.failed == nullptr) continue;
      const std::lock_guard lock(mutex);
      if (begin < first_at) {
        first_at = begin;
        first = result;
      }
      next.store(tiles.parts, std::memory_order_relaxed);
      return;
    }
  };
  parallel_for(workers, 1, [&](int64_t from, int64_t to) {
    for (int64_t w = from; w < to; ++w) {
      Worker worker(tiles, bases, scratch + w * tiles.worker_bytes, accumulators);
      for (int64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < tiles.parts;)
        work_on(worker, part);
      kernels::finish_streams();
    }
  });
  if (first.failed == nullptr) finish_reductions(tiles, accumulators, bases);
  return first;
}

}  // namespace penstock::exec
