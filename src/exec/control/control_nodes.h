// The outputs of control nodes.
#pragma once

#include <vector>

#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {

// The outputs of a node with this control. Throws InvalidArgumentError if its regions do not match.
std::vector<OutputSpec> outputs_of(const Control& control);

// The common part of two shapes: dimensions that differ are unknown.
Shape common_shape(const Shape& a, const Shape& b);

}  // namespace penstock::exec
