// The validator: a sweep through time over the arena as an ordered map.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <penstock/plan/offsets.h>

namespace penstock::plan {
namespace {

std::string describe(std::span<const Block> blocks, std::span<const int64_t> offsets, size_t i) {
  return "block " + std::to_string(i) + " (bytes " + std::to_string(offsets[i]) + " to " +
         std::to_string(offsets[i] + blocks[i].size) + ", living from " +
         std::to_string(blocks[i].lower) + " to " + std::to_string(blocks[i].upper) + ")";
}

}  // namespace

std::string find_fault(std::span<const Block> blocks, std::span<const int64_t> offsets,
                       int64_t height, int64_t alignment) {
  if (offsets.size() != blocks.size()) {
    return std::to_string(blocks.size()) + " blocks, but " + std::to_string(offsets.size()) +
           " offsets";
  }
  struct Event {
    int64_t time;
    bool starts;
    size_t block;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] > height - blocks[i].size)
      return describe(blocks, offsets, i) + " leaves the arena of " + std::to_string(height);
    if (offsets[i] % alignment != 0)
      return describe(blocks, offsets, i) + " is not aligned to " + std::to_string(alignment);
    if (blocks[i].size == 0) continue;
    events.push_back({blocks[i].lower, true, i});
    events.push_back({blocks[i].upper, false, i});
  }
  // Ends come before starts: a lifetime does not include its upper end.
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.starts < b.starts;
  });
  std::map<int64_t, size_t> live;  // by offset
  for (const Event& event : events) {
    if (!event.starts) {
      live.erase(offsets[event.block]);
      continue;
    }
    const int64_t offset = offsets[event.block];
    const auto above = live.lower_bound(offset);
    if (above != live.end() && above->first < offset + blocks[event.block].size) {
      return describe(blocks, offsets, event.block) + " overlaps " +
             describe(blocks, offsets, above->second);
    }
    if (above != live.begin()) {
      const auto below = std::prev(above);
      if (below->first + blocks[below->second].size > offset) {
        return describe(blocks, offsets, event.block) + " overlaps " +
               describe(blocks, offsets, below->second);
      }
    }
    live.emplace(offset, event.block);
  }
  return "";
}

}  // namespace penstock::plan
