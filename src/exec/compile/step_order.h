// Order: in which order the steps of a graph run, so that as few bytes as possible are held at the
// worst moment.
//
//   step  one op, or a group of ops that run together (fusion/groups.h)
//   item  the memory that a step makes: shared by all values that are parts of it
//
// The order in which the ops were traced is one candidate, that of a greedy scheduler another; for
// small graphs all orders are searched. Stateful ops keep their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace penstock::exec {

struct Steps {
  std::vector<NodeId> nodes;
  std::vector<int32_t> starts;  // where each step begins in nodes, and the end

  int32_t size() const { return static_cast<int32_t>(starts.size()) - 1; }
  std::span<const NodeId> step(int32_t i) const {
    const auto first = static_cast<size_t>(starts[static_cast<size_t>(i)]);
    return std::span(nodes).subspan(
        first, static_cast<size_t>(starts[static_cast<size_t>(i) + 1]) - first);
  }
};

// `nodes` are op and control nodes in an order in which they can run, and `groups` what find_groups
// says of them.
Steps order_steps(const Graph& graph, std::span<const NodeId> nodes,
                  std::span<const int32_t> groups, std::span<const int64_t> control_scratch = {});

}  // namespace penstock::exec
