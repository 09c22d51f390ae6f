// Scalars: ops on single elements (counters, conditions, rates), run as one list of register
// instructions (kernels/scalar.h). Elements are loaded where they enter the group and stored where
// they leave it. All loads come before all stores, and nothing is stored when an instruction fails.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "kernels/scalar.h"

namespace penstock::exec {

struct Scalars {
  struct Transfer {
    ValueId value;
    int32_t storage = kNoIndex;  // the layout's
    int64_t offset = 0;
    uint16_t place = 0;  // register
    uint16_t bytes = 0;
  };
  std::vector<Transfer> loads, stores;
  std::vector<kernels::ScalarStep> steps;
  std::vector<const OpDef*> ops;  // of steps

  size_t bytes() const {
    return sizeof(Scalars) + (loads.size() + stores.size()) * sizeof(Transfer) +
           steps.size() * (sizeof(kernels::ScalarStep) + sizeof(OpDef*));
  }
};

inline constexpr size_t kMostScalarOps = 256;
inline constexpr size_t kMostScalarInputs = 3;

// Whether all inputs and outputs of the op are single elements, and it can be an instruction.
bool is_scalar_op(const Graph& graph, const Node& node);

// Groups the ungrouped ops on single elements (groups.h) that wait for the same other steps.
void group_scalars(const Graph& graph, std::span<const NodeId> nodes, std::vector<int32_t>& groups);

// The instructions of `nodes`, which are in a valid order. `is_kept` says which of their values are
// needed outside. Storages and offsets of transfers remain to be filled in.
Scalars make_scalars(const Graph& graph, std::span<const NodeId> nodes,
                     const std::function<bool(ValueId)>& is_kept);

}  // namespace penstock::exec
