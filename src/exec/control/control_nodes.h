// Control nodes of a graph: what they give.
#pragma once

#include <vector>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

// The outputs of a node that does this. Throws InvalidArgumentError where its regions do not go
// together.
std::vector<OutputSpec> outputs_of(const Control& control);

// The shapes that two regions' outputs have in common: what differs is not known.
Shape common_shape(const Shape& a, const Shape& b);

}  // namespace penstock::exec
