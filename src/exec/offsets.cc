#include "exec/offsets.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <penstock/memory/buffer.h>

namespace penstock::exec {

Offsets place_blocks(std::span<const Block> blocks) {
  constexpr auto kStep = static_cast<int64_t>(kAlignment);
  Offsets found;
  found.offsets.resize(blocks.size());
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  const auto rounded = [&](size_t b) { return (blocks[b].bytes + kStep - 1) / kStep * kStep; };
  std::vector<size_t> placed;
  for (size_t b : order) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (size_t p : placed) {
      if (blocks[p].lower < blocks[b].upper && blocks[b].lower < blocks[p].upper)
        taken.push_back({found.offsets[p], found.offsets[p] + rounded(p)});
    }
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (const auto& [from, to] : taken) {
      if (from - at >= rounded(b)) break;
      at = std::max(at, to);
    }
    found.offsets[b] = at;
    found.height = std::max(found.height, at + rounded(b));
    placed.push_back(b);
  }
  std::map<int64_t, int64_t> changes;
  for (size_t b = 0; b < blocks.size(); ++b) {
    changes[blocks[b].lower] += rounded(b);
    changes[blocks[b].upper] -= rounded(b);
  }
  int64_t live = 0;
  for (const auto& [time, change] : changes) {
    live += change;
    found.lower_bound = std::max(found.lower_bound, live);
  }
  return found;
}

}  // namespace penstock::exec
