// Algebraic simplification: calls whose result already exists or can be computed more cheaply.
#pragma once

#include <optional>

#include "graph/passes/rewriter.h"

namespace penstock {

// Simplifies arithmetic, casts, transposes and reshapes.
Graph apply_rules(const Graph& graph);
// The same as a step of a Rewriter.
std::optional<Values> rules_step(Rewriter& rewriter, const Call& call);

}  // namespace penstock
