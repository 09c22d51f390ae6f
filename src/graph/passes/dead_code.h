// Dead code elimination.
#pragma once

#include "graph/graph.h"

namespace penstock {

// Removes the nodes that no output and no write needs.
Graph drop_dead_code(Graph graph);

}  // namespace penstock
