// Greedy layouts: one pass over the blocks in some order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/effort.h"
#include "plan/problem.h"

namespace penstock::plan {

// Replays the blocks in order of time, each into the smallest gap that takes it: n log n.
std::vector<int64_t> replay(const Problem& problem);

// Places the blocks of `order`, each at the lowest offset that those already placed leave it.
// `offsets` holds the result, and at the start the offsets of `fixed`, which stay. Gives up, with
// false, when a block would reach above `limit` or the effort is over.
bool lowest_fit(const Problem& problem, std::span<const int32_t> fixed,
                std::span<const int32_t> order, int64_t limit, Effort& effort,
                std::vector<int64_t>& offsets);

// The blocks from the lowest offset to the highest.
std::vector<int32_t> by_offset(std::span<const int64_t> offsets);

// Lets every block of a layout sink into gaps below it. None rises.
void settle(const Problem& problem, Effort& effort, std::vector<int64_t>& offsets);

// Orders in which lowest_fit does well on one kind of problem or the other.
enum class Order : uint8_t { kSize, kSizeAndWidth, kArea, kWidth, kContention };
std::vector<int32_t> ordered(const Problem& problem, Order order);

}  // namespace penstock::plan
