// Tiles: elementwise ops of one shape, run together block by block.
//
// All values have the same elements, taken as one flat range. A tile is a short piece of it; every
// op runs on a tile before the next tile begins. What only ops of the group need lives in the
// worker's slots, each as large as one tile, and so never exists in full.
//
//   reach   how an input meets the output's elements: all of them, or repeated in one of three ways
//   worker  one of the threads that share the tiles; it has slots of its own
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace penstock::exec {

enum class Reach : uint8_t {
  kNone,    // in some other way: not for tiles
  kFull,    // the same elements
  kOne,     // one element for all
  kSuffix,  // repeated along leading dimensions: a bias [C] of [N,C]
  kPrefix,  // repeated along trailing dimensions: [N,1] of [N,C]
};
struct InputReach {
  Reach reach = Reach::kNone;
  int64_t row = 1;  // kSuffix, kPrefix: elements of the output from one repetition to the next
};
InputReach reach_of(const Shape& input, const Shape& output);

inline constexpr int64_t kTileElements = 4096;  // values up to this size are not worth a tile loop
inline constexpr int64_t kMostRow = 8192;
inline constexpr int32_t kMostTileOps = 48;
inline constexpr int32_t kMostTileOperands = 160;

struct TileOperand {
  enum class Kind : uint8_t { kSlot, kSliced, kRows, kWhole };
  ValueId value;
  Kind kind = Kind::kSlot;
  DType dtype = DType::kInvalid;
  int64_t row = 1;             // kRows: elements of the output for one of its own
  int64_t offset = 0;          // in the worker's slots or in the storage
  int32_t storage = kNoIndex;  // but for kSlot; the layout's
};

struct TileOp {
  const OpDef* op;
  Attrs attrs;
  int64_t row;  // operands are [n / row, row]; 1: flat
  int32_t first_operand;
  int32_t num_inputs, num_outputs;
};

struct Tiles {
  int64_t elements = 0;
  int64_t tile = 0;  // elements of a tile
  int32_t workers = 1;
  int64_t worker_bytes = 0;
  std::vector<TileOp> ops;
  std::vector<TileOperand> operands;

  const TileOperand& operand(const TileOp& op, int32_t i) const {
    return operands[static_cast<size_t>(op.first_operand + i)];
  }
  int64_t scratch_bytes() const { return workers * worker_bytes; }
  // Whether the place of external input `input` can be that of `output` too: it is read for the
  // last time before, or by the op that writes `output`, which can run in place.
  bool may_overwrite(ValueId input, ValueId output) const;
};

// Tiles of `nodes`, in an order in which they can run. `is_kept` says which of their values are
// needed outside: those are kSliced, and their storages remain to be filled in.
Tiles make_tiles(const Graph& graph, std::span<const NodeId> nodes,
                 const std::function<bool(ValueId)>& is_kept);

// What a run came to: the op that failed, if any.
struct TilesResult {
  const OpDef* failed = nullptr;
  KernelResult result;
};
TilesResult run_tiles(const Tiles& tiles, char* const* bases, char* scratch) noexcept;

}  // namespace penstock::exec
