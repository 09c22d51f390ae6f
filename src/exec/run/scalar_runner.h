// Runs a group of ops on single elements.
#pragma once

#include "exec/compile/fusion/scalar_groups.h"
#include "exec/run/group_result.h"

namespace penstock::exec {

// `bases` are the addresses of the layout's storages.
GroupResult run_scalars(const Scalars& scalars, char* const* bases) noexcept;

}  // namespace penstock::exec
