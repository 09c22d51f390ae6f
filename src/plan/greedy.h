// Greedy layouts: one pass over the blocks in some order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/effort.h"
#include "plan/problem.h"

namespace penstock::plan {

// Places the blocks in order of time, each into the smallest gap that fits: n log n.
std::vector<int64_t> replay(const Problem& problem);

// Places the blocks of `order`, each at the lowest free offset. `offsets` holds the result and, at
// the start, the offsets of `fixed`, which stay. Returns false if a block would exceed `limit` or
// the effort is exhausted.
bool lowest_fit(const Problem& problem, std::span<const int32_t> fixed,
                std::span<const int32_t> order, int64_t limit, Effort& effort,
                std::vector<int64_t>& offsets);

// The blocks in order of increasing offset.
std::vector<int32_t> by_offset(std::span<const int64_t> offsets);

// Moves every block of a layout down into gaps below it. None moves up.
void settle(const Problem& problem, Effort& effort, std::vector<int64_t>& offsets);

// Orders that suit lowest_fit on different kinds of problems.
enum class Order : uint8_t { kSize, kSizeAndWidth, kArea, kWidth, kContention };
std::vector<int32_t> ordered(const Problem& problem, Order order);

}  // namespace penstock::plan
