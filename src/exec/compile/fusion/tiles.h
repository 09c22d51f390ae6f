// Turns elementwise ops of one shape into tiles (tile_program.h).
//
//   reach  how an input maps to the output's elements: one to one, or repeated in one of three ways
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "exec/compile/fusion/tile_program.h"
#include "graph/graph.h"

namespace penstock::exec {

enum class Reach : uint8_t {
  kNone,    // any other way: not for tiles
  kFull,    // the same elements
  kOne,     // one element for all
  kSuffix,  // repeated along leading dimensions: a bias [C] of [N,C]
  kPrefix,  // repeated along trailing dimensions: [N,1] of [N,C]
};
struct InputReach {
  Reach reach = Reach::kNone;
  int64_t row = 1;  // kSuffix, kPrefix: output elements from one repetition to the next
};
InputReach reach_of(const Shape& input, const Shape& output);

// Whether the op reduces all elements of its input to one, in a way that can accumulate tiles.
bool is_whole_reduction(const Graph& graph, const Node& node);
// The length of the rows that the op reduces to one element each, if tiles can do that; else 0.
int64_t reduced_row(const Graph& graph, const Node& node);

// Tiles of `nodes`, which are in a valid order. `is_kept` says which of their values are needed
// outside: those are kSliced, and their storages remain to be filled in.
Tiles make_tiles(const Graph& graph, std::span<const NodeId> nodes,
                 const std::function<bool(ValueId)>& is_kept);

}  // namespace penstock::exec
