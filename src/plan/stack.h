// Stacking where it is fullest: the constructive heuristic that tight problems ask for.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/effort.h"
#include "plan/problem.h"

namespace penstock::plan {

// How the block that is stacked next is chosen: by what it wastes below it, less what its size and
// its width (its share of all sections) speak for it.
struct StackTaste {
  double waste = 1;
  double size = 1;
  double width = 1;
  double noise = 0;       // how much chance has a say
  double least_size = 0;  // as a share of the bound; what is smaller goes into the gaps after
};

// Stacks the blocks bottom up: again and again the section with the most bytes yet to come gets the
// next of its blocks, on top of all that lies below it. Then the small blocks go where they fit,
// and all settle. False when the effort ended before that or the result is higher than `limit`.
bool stack(const Problem& problem, const StackTaste& taste, int64_t limit, Random& random,
           Effort& effort, std::vector<int64_t>& offsets);

}  // namespace penstock::plan
