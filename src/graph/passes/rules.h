// Algebraic simplification: calls whose result is there already, or comes cheaper.
#pragma once

#include <optional>

#include "graph/passes/rewriter.h"

namespace penstock {

// What arithmetic, casts, transposes and reshapes come down to.
Graph apply_rules(const Graph& graph);
// The same as a step of a Rewriter.
std::optional<Values> rules_step(Rewriter& rewriter, const Call& call);

}  // namespace penstock
