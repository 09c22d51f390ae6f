// Regions that are invalid for the sizes of a call. They fail with the error found, but only when
// they are taken.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace penstock::exec {

// A region with inputs like those of `region`, of these shapes, that raises the error. `outputs`
// are its declared outputs. Pre: it has inputs.
Graph failing_region(const Graph& region, std::span<const Shape> shapes,
                     std::span<const OutputSpec> outputs, std::string_view error);

}  // namespace penstock::exec
