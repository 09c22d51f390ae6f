// Strips of tiled ops: neighbours whose formulas run in one loop (kernels/strip.h), so that what
// only they need is not even as large as a tile.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/compile/fusion/tiles.h"

namespace penstock::exec {

// The number of ops from `first` on that can be one strip; less than 2 when there is none.
int32_t strip_length(const Tiles& tiles, int32_t first);

// The steps of ops [first, first + num_ops). Pre: their operands' kinds are settled: kInside is
// what no other op and nobody outside needs.
Strip make_strip(const Tiles& tiles, int32_t first, int32_t num_ops);

// Runs a strip on elements [begin, begin + n) of the tiles. `address` gives an operand's address.
template <typename Address>
void run_strip(const Tiles& tiles, const Strip& strip, int64_t n, const Address& address) {
  using Kind = TileOperand::Kind;
  kernels::StripOperand operands[kernels::kMostStripOperands];
  const size_t count = strip.operands.size();
  for (size_t i = 0; i < count; ++i) {
    const TileOperand& operand = tiles.operands[static_cast<size_t>(strip.operands[i].operand)];
    operands[i] = {address(operand), strip.operands[i].kind};
  }
  const int64_t row = strip.row == 1 ? n : strip.row;
  for (int64_t done = 0;;) {
    kernels::run_strip(strip.dtype, strip.steps, {operands, count}, row);
    if ((done += row) >= n) return;
    const auto width = static_cast<int64_t>(dtype_size(strip.dtype));
    for (size_t i = 0; i < count; ++i) {
      const Kind kind = tiles.operands[static_cast<size_t>(strip.operands[i].operand)].kind;
      if (kind == Kind::kWhole) continue;
      const bool is_column = kind == Kind::kColumn || kind == Kind::kSlotColumn;
      operands[i].data = static_cast<char*>(operands[i].data) + (is_column ? 1 : row) * width;
    }
  }
}

}  // namespace penstock::exec
