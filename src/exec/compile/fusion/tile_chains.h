// Chains of tiled ops: adjacent ops whose formulas run in one loop (kernels/chain.h). Values that
// only they use do not even take a tile.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/compile/fusion/tile_program.h"

namespace penstock::exec {

// The number of ops from `first` on that can be one chain; less than 2 if there is none.
int32_t chain_length(const Tiles& tiles, int32_t first);

// The chain of ops [first, first + num_ops). Pre: their operands' kinds are final: kInside marks a
// value that no other op and nobody outside needs.
TileChain make_chain(const Tiles& tiles, int32_t first, int32_t num_ops);

}  // namespace penstock::exec
