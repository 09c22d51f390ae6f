#include "exec/run/tile_runner.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <penstock/base/threads.h>

#include "kernels/chain.h"
#include "kernels/reduce.h"

namespace penstock::exec {
namespace {

using Kind = TileOperand::Kind;

// Runs a chain on elements [begin, begin + n) of the tiles. `address` gives an operand's address.
template <typename Address>
void run_chain(const Tiles& tiles, const TileChain& chain, int64_t n, const Address& address) {
  kernels::ChainOperand operands[kernels::kMostChainOperands];
  const size_t count = chain.operands.size();
  for (size_t i = 0; i < count; ++i) {
    const TileOperand& operand = tiles.operands[static_cast<size_t>(chain.operands[i].operand)];
    operands[i] = {address(operand), chain.operands[i].kind};
  }
  const int64_t row = chain.row == 1 ? n : chain.row;
  for (int64_t done = 0;;) {
    kernels::run_chain(chain.dtype, chain.steps, {operands, count}, row);
    if ((done += row) >= n) return;
    const auto width = static_cast<int64_t>(dtype_size(chain.dtype));
    for (size_t i = 0; i < count; ++i) {
      const Kind kind = tiles.operands[static_cast<size_t>(chain.operands[i].operand)].kind;
      if (kind == Kind::kWhole) continue;
      const bool is_column = kind == Kind::kColumn || kind == Kind::kSlotColumn;
      operands[i].data = static_cast<char*>(operands[i].data) + (is_column ? 1 : row) * width;
    }
  }
}

// The accumulators of the reductions, part by part.
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

  GroupResult run(int64_t begin, int64_t end, int64_t part) {
    const int64_t n = end - begin;
    if (n != shaped_for_) shape(n);
    auto chain = tiles_.chains.begin();
    for (size_t i = 0; i < tiles_.ops.size(); ++i) {
      const TileOp& op = tiles_.ops[i];
      if (chain != tiles_.chains.end() && static_cast<size_t>(chain->first) == i) {
        run_chain(tiles_, *chain, n,
                  [&](const TileOperand& operand) { return address(operand, begin); });
        i += static_cast<size_t>(chain->num_ops) - 1;
        ++chain;
        continue;
      }
      if (op.reduction != kNoIndex) {
        reduce(op, begin, n, part);
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
  void reduce(const TileOp& op, int64_t begin, int64_t n, int64_t part) {
    const TileReduction& reduction = tiles_.reductions[static_cast<size_t>(op.reduction)];
    const kernels::ReduceSteps& steps = reduction.steps;
    const char* x = address(tiles_.operand(op, 0), begin);
    if (reduction.is_whole)
      return steps.loops.rows(x, 1, n, n, accumulators_.bytes[op.reduction][part]);
    char* out = address(tiles_.operand(op, 1), begin);
    alignas(16) char acc[kernels::kTile * kernels::kMaxAccumulator];
    const auto width = static_cast<int64_t>(steps.element_size);
    for (int64_t left = n / op.row; left > 0; left -= kernels::kTile) {
      const int64_t count = std::min(left, kernels::kTile);
      steps.start(acc, count);
      steps.loops.rows(x, count, op.row, op.row, acc);
      steps.finish(acc, count, reduction.divisor, out);
      x += count * op.row * width;
      out += count * width;
    }
  }

  char* address(const TileOperand& operand, int64_t begin) const {
    const auto width = static_cast<int64_t>(dtype_size(operand.dtype));
    switch (operand.kind) {
      case Kind::kSlot:
      case Kind::kSlotColumn:
        return slots_ + operand.offset;
      case Kind::kSliced:
        return bases_[operand.storage] + operand.offset + begin * width;
      case Kind::kColumn:
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
        Shape& shape = views_[i].shape;
        if (operand.kind == Kind::kWhole) {
          shape = operand.row == 1 ? Shape{} : Shape{operand.row};
        } else if (op.kind == TileOp::Kind::kColumn) {
          shape = Shape{n / op.row};
        } else if (op.row == 1) {
          shape = Shape{n};
        } else {
          shape = Shape{n / op.row, operand.is_column() ? 1 : op.row};
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
    if (!tiles.reductions[r].is_whole) continue;
    for (int64_t p = 0; p < tiles.parts; ++p)
      tiles.reductions[r].steps.start(accumulators.bytes[r][p], 1);
  }
}

void finish_reductions(const Tiles& tiles, Accumulators& accumulators, char* const* bases) {
  for (size_t r = 0; r < tiles.reductions.size(); ++r) {
    const TileReduction& reduction = tiles.reductions[r];
    if (!reduction.is_whole) continue;
    auto& parts = accumulators.bytes[r];
    for (int64_t p = 1; p < tiles.parts; ++p) reduction.steps.merge(parts[0], parts[p], 1);
    const TileOperand& output = tiles.operands[static_cast<size_t>(reduction.output)];
    reduction.steps.finish(parts[0], 1, reduction.divisor, bases[output.storage] + output.offset);
  }
}

}  // namespace

GroupResult run_tiles(const Tiles& tiles, char* const* bases, char* scratch) noexcept {
  const int64_t workers = std::min<int64_t>(tiles.workers, num_threads());
  Accumulators accumulators;
  start_reductions(tiles, accumulators);
  std::atomic<int64_t> next{0};
  std::mutex mutex;  // locked on errors only
  GroupResult first;
  int64_t first_at = tiles.elements;
  const auto work_on = [&](Worker& worker, int64_t part) {
    const int64_t to = tiles.part_begin(part + 1);
    for (int64_t begin = tiles.part_begin(part); begin < to; begin += tiles.tile) {
      const GroupResult result = worker.run(begin, std::min(to, begin + tiles.tile), part);
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
