// Tiles: elementwise ops of one shape, run together block by block.
//
// All values have the same elements, treated as one flat range. A tile is a short piece of it;
// every op runs on a tile before the next tile begins. Values that only ops of the group use live
// in the worker's slots, each as large as one tile, and so never exist in full. A reduction of all
// elements to one accumulates the tiles as they are computed. A reduction of rows (of the last
// axes) produces a column: one number for each row of the tile, which ops of the group may use
// immediately.
//
//   column  a value with one element for each row of the others
//   worker  one of the threads that share the tiles; it has its own slots
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "kernels/chain.h"
#include "kernels/reduce_steps.h"

namespace penstock::exec {

inline constexpr int64_t kTileElements = 4096;  // values up to this size are not worth a tile loop
inline constexpr int64_t kMostRow = 8192;
inline constexpr int32_t kMostTileOps = 48;
inline constexpr int32_t kMostTileOperands = 160;
inline constexpr int32_t kMostTileReductions = 4;

struct TileOperand {
  enum class Kind : uint8_t {
    kInside,  // never leaves its chain: it has no address
    kSlot,
    kSlotColumn,
    kSliced,
    kColumn,
    kWhole,
  };
  ValueId value;
  Kind kind = Kind::kSlot;
  DType dtype = DType::kInvalid;
  int64_t row = 1;             // columns: elements of a row; kWhole: its own elements
  int64_t offset = 0;          // in the worker's slots or in the storage
  int32_t storage = kNoIndex;  // the layout's; not for slots and kInside

  bool is_column() const { return kind == Kind::kSlotColumn || kind == Kind::kColumn; }
  bool is_outside() const { return kind >= Kind::kSliced; }
};

struct TileOp {
  enum class Kind : uint8_t {
    kElements,  // on the elements of a tile
    kColumn,    // on columns: one element for each row
    kRows,      // reduces rows to a column
    kWhole,     // reduces all elements
  };
  const OpDef* op;
  Attrs attrs;
  Kind kind;
  int64_t row;  // operands are [n / row, row]; 1: flat
  int32_t first_operand;
  int32_t num_inputs, num_outputs;
  int32_t reduction = kNoIndex;  // of kRows and kWhole: in Tiles::reductions
};

// Adjacent ops that run in one loop (tile_chains.h).
struct TileChain {
  struct Operand {
    int32_t operand;  // of the tiles
    kernels::ChainOperand::Kind kind;
  };
  int32_t first = 0, num_ops = 0;
  DType dtype = DType::kInvalid;
  int64_t row = 1;  // of repeated operands; 1: there are none
  std::vector<kernels::ChainStep> steps;
  std::vector<Operand> operands;
};

struct TileReduction {
  kernels::ReduceSteps steps;
  int64_t divisor;
  int32_t output;  // operand
  bool is_whole;
};

struct Tiles {
  int64_t elements = 0;
  int64_t tile = 0;   // elements of a tile
  int64_t parts = 1;  // runs of tiles; a worker takes one at a time
  int32_t workers = 1;
  int32_t num_whole = 0;  // reductions of all elements
  int64_t worker_bytes = 0;
  std::vector<TileOp> ops;
  std::vector<TileOperand> operands;
  std::vector<TileReduction> reductions;
  std::vector<TileChain> chains;  // in the order of their ops

  const TileOperand& operand(const TileOp& op, int32_t i) const {
    return operands[static_cast<size_t>(op.first_operand + i)];
  }
  // Where a part begins. With reductions it depends on the size alone, so the result does too.
  int64_t part_begin(int64_t part) const {
    if (num_whole > 0) return elements * part / parts;
    const int64_t count = (elements + tile - 1) / tile;
    return std::min(elements, count * part / parts * tile);
  }
  int64_t scratch_bytes() const { return workers * worker_bytes; }
  // The memory of the program itself.
  size_t bytes() const {
    return sizeof(Tiles) + ops.size() * sizeof(TileOp) + operands.size() * sizeof(TileOperand);
  }
  // Whether external input `input` and `output` may share a place: the input's last read comes
  // before the op that writes `output`, or is that op, which can run in place.
  bool may_overwrite(ValueId input, ValueId output) const;
};

}  // namespace penstock::exec
