// Chains of tiled ops: neighbours whose formulas run in one loop (kernels/chain.h), so that what
// only they need is not even as large as a tile.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/compile/fusion/tile_program.h"

namespace penstock::exec {

// The number of ops from `first` on that can be one chain; less than 2 when there is none.
int32_t chain_length(const Tiles& tiles, int32_t first);

// The steps of ops [first, first + num_ops). Pre: their operands' kinds are settled: kInside is
// what no other op and nobody outside needs.
TileChain make_chain(const Tiles& tiles, int32_t first, int32_t num_ops);

}  // namespace penstock::exec
