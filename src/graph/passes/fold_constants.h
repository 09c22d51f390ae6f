// Constant folding: a pure op on constants runs once, here, instead of in every call.
#pragma once

#include <optional>

#include "graph/passes/rewriter.h"

namespace penstock {

// Replaces pure ops on constants by constants, unless that needs more memory.
Graph fold_constants(const Graph& graph);
// The same as a step of a Rewriter.
std::optional<Values> fold_step(Rewriter& rewriter, const Call& call);

}  // namespace penstock
