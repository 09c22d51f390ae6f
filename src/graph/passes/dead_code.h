// Dead code: what no result needs.
#pragma once

#include "graph/graph.h"

namespace penstock {

// Without the nodes that no output and no write needs.
Graph drop_dead_code(Graph graph);

}  // namespace penstock
