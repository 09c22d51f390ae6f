// Regions that cannot work for the sizes that a function is called with. They fail when they are
// taken, with the error that was found, and not before.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace penstock::exec {

// A region of inputs like those of `region`, of these shapes, that ends in the error. `outputs` are
// what others take it to give. Pre: it has inputs.
Graph failing_region(const Graph& region, std::span<const Shape> shapes,
                     std::span<const OutputSpec> outputs, std::string_view error);

}  // namespace penstock::exec
