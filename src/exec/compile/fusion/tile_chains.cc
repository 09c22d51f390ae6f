#include "exec/compile/fusion/tile_chains.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kernels/formula.h"

namespace penstock::exec {
namespace {

using Kind = TileOperand::Kind;
using kernels::ChainOperand;
using kernels::Formula;

// Results of this size or more are written past the caches, where they would only evict other data.
// Not row by row, which would write partial cache lines.
constexpr int64_t kLeastStreamed = 16 << 20;

bool fits_chain(const Tiles& tiles, const TileOp& op, DType dtype) {
  const Formula* formula = op.op->cpu.formula;
  if (formula == nullptr || formula->is_swapped || op.kind != TileOp::Kind::kElements ||
      op.num_outputs != 1)
    return false;
  if (op.row != 1 && op.row < kernels::kLeastChainRow) return false;
  if (formula->kind != Formula::Kind::kUnary && formula->kind != Formula::Kind::kBinary)
    return false;
  for (int32_t i = 0; i < op.num_inputs + 1; ++i) {
    if (tiles.operand(op, i).dtype != dtype) return false;
  }
  return dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

// Tracks the current value and the values held in buffers.
class ChainMaker {
 public:
  ChainMaker(const Tiles& tiles, int32_t first, int32_t num_ops) : tiles_(tiles) {
    chain_.first = first;
    chain_.num_ops = num_ops;
    chain_.dtype = tiles.operand(tiles.ops[static_cast<size_t>(first)], 0).dtype;
    for (const TileOp& op : ops()) {
      chain_.row = std::max(chain_.row, op.row);
      for (int32_t i = 0; i < op.num_inputs; ++i) ++uses_[tiles.operand(op, i).value];
    }
  }

  TileChain make() {
    for (const TileOp& op : ops()) add(op);
    return std::move(chain_);
  }

 private:
  std::span<const TileOp> ops() const {
    return std::span(tiles_.ops)
        .subspan(static_cast<size_t>(chain_.first), static_cast<size_t>(chain_.num_ops));
  }

  void add(const TileOp& op) {
    const Formula& formula = *op.op->cpu.formula;
    const ValueId x = tiles_.operand(op, 0).value;
    if (formula.kind == Formula::Kind::kUnary) {
      take(op, 0);
      release(x);
      chain_.steps.push_back(kernels::chain_unary(formula, chain_.dtype));
    } else {
      const ValueId y = tiles_.operand(op, 1).value;
      const bool is_right = y == at_hand_ && x != y;
      take(op, is_right ? 1 : 0);
      const int other = place(op, is_right ? 0 : 1);
      release(x);
      release(y);
      chain_.steps.push_back(kernels::chain_binary(formula, chain_.dtype, other, is_right));
    }
    const TileOperand& output = tiles_.operand(op, op.num_inputs);
    at_hand_ = output.value;
    if (output.kind == Kind::kInside) return;
    chain_.steps.push_back(kernels::chain_store(external(op, op.num_inputs)));
  }

  // Makes input `i` the current value. The previous one goes to a buffer if it is still needed.
  void take(const TileOp& op, int32_t i) {
    const ValueId value = tiles_.operand(op, i).value;
    const bool is_here = value == at_hand_;
    if (at_hand_ != kNoIndex && uses_[at_hand_] > (is_here ? 1 : 0) && !is_placed(at_hand_)) {
      buffers_[at_hand_] = free_buffer();
      chain_.steps.push_back(kernels::chain_store(-1 - buffers_[at_hand_]));
    }
    if (!is_here) chain_.steps.push_back(kernels::chain_load(place(op, i)));
  }

  bool is_placed(ValueId value) const {
    return buffers_.contains(value) || externals_.contains(value);
  }

  int place(const TileOp& op, int32_t i) {
    const auto found = buffers_.find(tiles_.operand(op, i).value);
    return found != buffers_.end() ? -1 - found->second : external(op, i);
  }

  int external(const TileOp& op, int32_t i) {
    const TileOperand& operand = tiles_.operand(op, i);
    const auto [found, is_new] =
        externals_.try_emplace(operand.value, static_cast<int>(chain_.operands.size()));
    if (is_new) chain_.operands.push_back({op.first_operand + i, kind_of(op, i)});
    return found->second;
  }

  ChainOperand::Kind kind_of(const TileOp& op, int32_t i) const {
    const TileOperand& operand = tiles_.operand(op, i);
    if (operand.is_column() || (operand.kind == Kind::kWhole && operand.row == 1))
      return ChainOperand::Kind::kRepeated;
    const int64_t bytes = tiles_.elements * static_cast<int64_t>(dtype_size(operand.dtype));
    if (i == op.num_inputs && operand.kind == Kind::kSliced && chain_.row == 1 &&
        bytes >= kLeastStreamed && !is_read(operand.value))
      return ChainOperand::Kind::kStreamed;
    return ChainOperand::Kind::kElements;
  }

  bool is_read(ValueId value) const {
    return std::any_of(tiles_.ops.begin(), tiles_.ops.end(), [&](const TileOp& op) {
      for (int32_t i = 0; i < op.num_inputs; ++i) {
        if (tiles_.operand(op, i).value == value) return true;
      }
      return false;
    });
  }

  int free_buffer() {
    if (free_.empty()) return num_buffers_++;
    const int buffer = free_.back();
    free_.pop_back();
    return buffer;
  }

  void release(ValueId value) {
    if (--uses_[value] > 0) return;
    const auto found = buffers_.find(value);
    if (found == buffers_.end()) return;
    free_.push_back(found->second);
    buffers_.erase(found);
  }

  const Tiles& tiles_;
  TileChain chain_;
  ValueId at_hand_ = kNoIndex;
  std::unordered_map<ValueId, int> uses_;       // remaining, in the chain
  std::unordered_map<ValueId, int> buffers_;    // of values
  std::unordered_map<ValueId, int> externals_;  // operands of values
  std::vector<int> free_;
  int num_buffers_ = 0;
};

}  // namespace

int32_t chain_length(const Tiles& tiles, int32_t first) {
  const DType dtype = tiles.operand(tiles.ops[static_cast<size_t>(first)], 0).dtype;
  int64_t row = 1;
  int32_t length = 0;
  std::unordered_set<ValueId> values;  // read or written: an upper bound on the operands
  for (size_t i = static_cast<size_t>(first); i < tiles.ops.size(); ++i) {
    const TileOp& op = tiles.ops[i];
    if (!fits_chain(tiles, op, dtype) || length == kernels::kMostChainBuffers ||
        (row != 1 && op.row != 1 && op.row != row))
      break;
    for (int32_t k = 0; k <= op.num_inputs; ++k) values.insert(tiles.operand(op, k).value);
    if (values.size() > kernels::kMostChainOperands) break;
    row = std::max(row, op.row);
    ++length;
  }
  return length;
}

TileChain make_chain(const Tiles& tiles, int32_t first, int32_t num_ops) {
  return ChainMaker(tiles, first, num_ops).make();
}

}  // namespace penstock::exec
