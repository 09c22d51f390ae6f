#include "plan/greedy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace penstock::plan {
namespace {

// The gaps of an arena with an open upper end.
class Gaps {
 public:
  // Takes `size` bytes from the smallest gap that fits, the lowest of equal ones.
  int64_t take(int64_t size) {
    const auto found = by_size_.lower_bound({size, 0});
    if (found == by_size_.end()) return take_from_top(size);
    const auto [gap, offset] = *found;
    erase(at_.find(offset));
    if (gap > size) insert(offset + size, gap - size);
    return offset;
  }

  void give_back(int64_t offset, int64_t size) {
    auto next = at_.lower_bound(offset);
    if (next != at_.end() && next->first == offset + size) {
      size += next->second;
      next = erase(next);
    }
    if (next != at_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        offset = previous->first;
        size += previous->second;
        erase(previous);
      }
    }
    if (offset + size == top_) {
      top_ = offset;
    } else {
      insert(offset, size);
    }
  }

 private:
  using Map = std::map<int64_t, int64_t>;

  int64_t take_from_top(int64_t size) { return std::exchange(top_, top_ + size); }
  void insert(int64_t offset, int64_t size) {
    at_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }
  Map::iterator erase(Map::iterator gap) {
    by_size_.erase({gap->second, gap->first});
    return at_.erase(gap);
  }

  Map at_;  // offset to size
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t top_ = 0;  // nothing lies above
};

// The placed blocks by lifetime: a tree over the blocks in order of `first` with the latest `last`
// of the placed blocks below each node.
class Index {
 public:
  explicit Index(const Problem& problem) : problem_(problem) {
    for (size_t n = problem.size.size(); n > 1; n = (n + kFan - 1) / kFan) {
      levels_.emplace_back((n + kFan - 1) / kFan, 0);
    }
    ends_.assign(problem.size.size(), 0);
  }

  void add(int32_t block) {
    const int32_t end = problem_.last[block];
    ends_[block] = end;
    size_t node = block;
    for (auto& level : levels_) {
      node /= kFan;
      if (level[node] >= end) break;
      level[node] = end;
    }
  }

  // Calls visit(block) for every placed block that is live together with `block`.
  template <typename Visit>
  void overlapping(int32_t block, Visit&& visit) const {
    const auto end =
        std::lower_bound(problem_.first.begin(), problem_.first.end(), problem_.last[block]);
    walk(static_cast<int>(levels_.size()), 0, end - problem_.first.begin(), problem_.first[block],
         visit);
  }

 private:
  static constexpr size_t kFan = 16;

  // The nodes of one level (0: the blocks themselves) whose first block is before `end`.
  template <typename Visit>
  void walk(int level, size_t parent, size_t end, int32_t after, Visit&& visit) const {
    if (level == 0) {
      const size_t stop = std::min(end, (parent + 1) * kFan);
      for (size_t i = parent * kFan; i < stop; ++i) {
        if (ends_[i] > after) visit(static_cast<int32_t>(i));
      }
      return;
    }
    const std::vector<int32_t>& nodes = levels_[level - 1];
    size_t span = kFan;  // blocks below one node of this level
    for (int i = 1; i < level; ++i) span *= kFan;
    const size_t stop = std::min(nodes.size(), (parent + 1) * kFan);
    for (size_t i = parent * kFan; i < stop && i * span < end; ++i) {
      if (nodes[i] > after) walk(level - 1, i, end, after, visit);
    }
  }

  const Problem& problem_;
  std::vector<int32_t> ends_;  // per block: its end when it is placed, else 0
  std::vector<std::vector<int32_t>> levels_;
};

struct Span {
  int64_t offset;
  int64_t top;
};
struct Higher {
  bool operator()(const Span& a, const Span& b) const { return a.offset > b.offset; }
};

// The lowest offset at which `size` bytes fit between `occupied`, which is consumed.
int64_t lowest_gap(std::vector<Span>& occupied, int64_t size) {
  int64_t offset = 0;
  // Often a low gap suffices: a heap avoids sorting all of them.
  std::make_heap(occupied.begin(), occupied.end(), Higher());
  while (!occupied.empty()) {
    const Span lowest = occupied.front();
    if (lowest.offset >= offset + size) break;
    offset = std::max(offset, lowest.top);
    std::pop_heap(occupied.begin(), occupied.end(), Higher());
    occupied.pop_back();
  }
  return offset;
}

template <typename Key>
std::vector<int32_t> sorted_down(const Problem& problem, Key&& key) {
  std::vector<int32_t> order(problem.size.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return key(a) > key(b); });
  return order;
}

// Per block the largest load among its sections.
std::vector<int64_t> contention(const Problem& problem) {
  const size_t leaves = problem.load.size();
  std::vector<int64_t> tree(leaves);  // node i covers nodes 2i and 2i + 1
  tree.insert(tree.end(), problem.load.begin(), problem.load.end());
  for (size_t i = leaves; i-- > 1;) tree[i] = std::max(tree[2 * i], tree[2 * i + 1]);
  std::vector<int64_t> result(problem.size.size(), 0);
  for (int32_t block = 0; block < problem.count(); ++block) {
    size_t low = problem.first[block] + leaves, high = problem.last[block] + leaves;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) result[block] = std::max(result[block], tree[low++]);
      if (high % 2 == 1) result[block] = std::max(result[block], tree[--high]);
    }
  }
  return result;
}

}  // namespace

std::vector<int64_t> replay(const Problem& problem) {
  std::vector<int64_t> offsets(problem.size.size());
  std::vector<int32_t> ending(problem.size.size());
  std::iota(ending.begin(), ending.end(), 0);
  std::sort(ending.begin(), ending.end(),
            [&](int32_t a, int32_t b) { return problem.last[a] < problem.last[b]; });
  Gaps gaps;
  size_t ended = 0;
  for (int32_t i = 0; i < problem.count(); ++i) {
    for (; problem.last[ending[ended]] <= problem.first[i]; ++ended)
      gaps.give_back(offsets[ending[ended]], problem.size[ending[ended]]);
    offsets[i] = gaps.take(problem.size[i]);
  }
  return offsets;
}

bool lowest_fit(const Problem& problem, std::span<const int32_t> fixed,
                std::span<const int32_t> order, int64_t limit, Effort& effort,
                std::vector<int64_t>& offsets) {
  Index index(problem);
  for (const int32_t block : fixed) index.add(block);
  std::vector<Span> occupied;
  for (const int32_t block : order) {
    occupied.clear();
    index.overlapping(block, [&](int32_t other) {
      occupied.push_back({offsets[other], offsets[other] + problem.size[other]});
    });
    const int64_t steps = 50 + 8 * static_cast<int64_t>(occupied.size());
    offsets[block] = lowest_gap(occupied, problem.size[block]);
    if (offsets[block] + problem.size[block] > limit || !effort.spend(steps)) return false;
    index.add(block);
  }
  return true;
}

std::vector<int32_t> by_offset(std::span<const int64_t> offsets) {
  std::vector<int32_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return offsets[a] < offsets[b]; });
  return order;
}

void settle(const Problem& problem, Effort& effort, std::vector<int64_t>& offsets) {
  std::vector<int64_t> settled(offsets.size());
  const std::vector<int32_t> order = by_offset(offsets);
  const int64_t height = height_of(problem, offsets);
  if (lowest_fit(problem, {}, order, height, effort, settled)) offsets = std::move(settled);
}

std::vector<int32_t> ordered(const Problem& problem, Order order) {
  const auto size = [&](int32_t i) { return static_cast<double>(problem.size[i]); };
  const auto width = [&](int32_t i) { return static_cast<double>(problem.width(i)); };
  switch (order) {
    case Order::kSize:
      return sorted_down(problem, [&](int32_t i) { return std::pair(size(i), width(i)); });
    case Order::kSizeAndWidth:
      return sorted_down(problem, [&](int32_t i) { return size(i) * std::sqrt(width(i)); });
    case Order::kArea:
      return sorted_down(problem, [&](int32_t i) { return size(i) * width(i); });
    case Order::kWidth:
      return sorted_down(problem, [&](int32_t i) { return std::pair(width(i), size(i)); });
    case Order::kContention: {
      const std::vector<int64_t> most = contention(problem);
      return sorted_down(problem, [&](int32_t i) { return std::pair(most[i], problem.width(i)); });
    }
  }
  return {};
}

}  // namespace penstock::plan
