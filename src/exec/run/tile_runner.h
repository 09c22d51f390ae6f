// The loop over tiles.
#pragma once

#include "exec/compile/fusion/tile_program.h"
#include "exec/run/group_result.h"

namespace penstock::exec {

// `bases` are the addresses of the layout's storages.
GroupResult run_tiles(const Tiles& tiles, char* const* bases, char* scratch) noexcept;

}  // namespace penstock::exec
