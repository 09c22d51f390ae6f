// Offsets of blocks with lifetimes in one arena.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock::exec {

struct Block {
  int64_t lower, upper;  // [lower, upper)
  int64_t bytes;
};
struct Offsets {
  std::vector<int64_t> offsets;
  int64_t height = 0;
  int64_t lower_bound = 0;
};
Offsets place_blocks(std::span<const Block> blocks);

}  // namespace penstock::exec
