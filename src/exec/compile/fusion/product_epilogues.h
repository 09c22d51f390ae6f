// Epilogues: a matrix product or a convolution with the bias along the last axis and the activation
// that follow it. They are one step; nothing in between exists in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "kernels/formula.h"
#include "kernels/gemm.h"

namespace penstock::exec {

// Gives products with their epilogues their own number in `groups`, which find_groups has made for
// `nodes`. The rest of a group stays a group, or becomes none if it is a single op.
void group_epilogues(const Graph& graph, std::span<const NodeId> nodes,
                     std::vector<int32_t>& groups);

// A step that is a product with its epilogue.
struct ProductStep {
  kernels::ProductFn run = nullptr;  // null: the nodes are something else
  ValueId bias = kNoIndex;           // or kNoIndex
  kernels::Activation activation = kernels::Activation::kNone;
};
ProductStep product_step(const Graph& graph, std::span<const NodeId> step);

}  // namespace penstock::exec
