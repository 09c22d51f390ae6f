// Problem: the blocks of one stretch of time, in the form that the stages work on.
//
// Time is cut into sections. Only moments with a maximal set of live blocks matter (at any other
// moment a subset of a neighbour's is live), so only those are sections, numbered from 0. A block
// lives in the sections [first, last). Blocks are sorted by `first`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <penstock/plan/offsets.h>

namespace penstock::plan {

struct Problem {
  std::vector<int32_t> first;
  std::vector<int32_t> last;
  std::vector<int64_t> size;
  std::vector<int64_t> load;  // per section: the live bytes
  int64_t bound = 0;          // the largest load
  int64_t grain = 1;          // divides every size, and so the height of some optimal layout

  int32_t count() const { return static_cast<int32_t>(size.size()); }
  int32_t sections() const { return static_cast<int32_t>(load.size()); }
  int32_t width(int32_t block) const { return last[block] - first[block]; }
};

// The problem of the blocks `ids`, which are sorted by their lower end.
Problem make_problem(std::span<const Block> blocks, std::span<const int32_t> ids);

// The height of the layout `offsets`.
int64_t height_of(const Problem& problem, std::span<const int64_t> offsets);

}  // namespace penstock::plan
