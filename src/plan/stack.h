// Stacking at the fullest section: the constructive heuristic for tight problems.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/effort.h"
#include "plan/problem.h"

namespace penstock::plan {

// How the next block is chosen: by the space it wastes below it, less its weighted size and width
// (its share of all sections).
struct StackTaste {
  double waste = 1;
  double size = 1;
  double width = 1;
  double noise = 0;       // the weight of randomness
  double least_size = 0;  // as a share of the bound; smaller blocks fill the gaps later
};

// Stacks the blocks bottom up: the section with the most remaining bytes repeatedly gets its next
// block, on top of all that lies below it. Then small blocks fill the gaps, and all settle. False
// if the effort ended first or the result is higher than `limit`.
bool stack(const Problem& problem, const StackTaste& taste, int64_t limit, Random& random,
           Effort& effort, std::vector<int64_t>& offsets);

}  // namespace penstock::plan
