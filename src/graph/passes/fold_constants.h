// Constant folding: a pure op of constants runs once, here, instead of at every call.
#pragma once

#include <optional>

#include "graph/passes/rewriter.h"

namespace penstock {

// Pure ops of constants are constants, unless that would need more memory.
Graph fold_constants(const Graph& graph);
// The same as a step of a Rewriter.
std::optional<Values> fold_step(Rewriter& rewriter, const Call& call);

}  // namespace penstock
