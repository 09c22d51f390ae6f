// Runs a DirectLoop: an elementwise loop without a kernel call.
#pragma once

#include "exec/compile/fusion/direct_loops.h"

namespace penstock::exec {

// `bases` are the addresses of the layout's storages.
void run_direct_loop(const DirectLoop& loop, char* const* bases) noexcept;

}  // namespace penstock::exec
