#include "plan/stack.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "plan/greedy.h"

namespace penstock::plan {
namespace {

// The skyline, and per section the bytes of the blocks still to be stacked.
class Sections {
 public:
  explicit Sections(int32_t count)
      : top_(count, 0), left_(count, 0), most_((count + kChunk - 1) / kChunk, 0) {}

  int64_t top(int32_t section) const { return top_[section]; }

  // Adds a block to be stacked. After the last one, add_up() computes the bytes of each section.
  void expect(int32_t first, int32_t last, int64_t size) {
    left_[first] += size;
    if (last < static_cast<int32_t>(left_.size())) left_[last] -= size;
  }
  void add_up() {
    std::partial_sum(left_.begin(), left_.end(), left_.begin());
    for (int32_t chunk = 0; chunk < static_cast<int32_t>(most_.size()); ++chunk) count(chunk);
  }
  void put(int32_t first, int32_t last, int64_t size, int64_t top) {
    for (int32_t t = first; t < last; ++t) {
      left_[t] -= size;
      top_[t] = top;
    }
    for (int32_t chunk = first / kChunk; chunk <= (last - 1) / kChunk; ++chunk) count(chunk);
  }
  int32_t fullest() const {
    const auto chunk = std::max_element(most_.begin(), most_.end()) - most_.begin();
    const auto begin = left_.begin() + chunk * kChunk;
    return static_cast<int32_t>(std::find(begin, left_.end(), most_[chunk]) - left_.begin());
  }

 private:
  static constexpr int32_t kChunk = 128;

  void count(int32_t chunk) {
    const auto begin = left_.begin() + chunk * kChunk;
    const auto end = left_.begin() + std::min<size_t>(left_.size(), (chunk + 1) * kChunk);
    most_[chunk] = *std::max_element(begin, end);
  }

  std::vector<int64_t> top_;
  std::vector<int64_t> left_;
  std::vector<int64_t> most_;  // per chunk of sections, the largest left_
};

// The blocks still to be stacked, by `first`, in columns: scanning them is most of the work.
struct Waiting {
  std::vector<int32_t> block, first, last;
  std::vector<int64_t> least;  // the offset that a block would get: the skyline's top below it
  std::vector<double> merit;   // the score of a block, independent of its place
  size_t gone = 0;             // rows of stacked blocks: their lifetime is empty

  void add(int32_t id, int32_t from, int32_t to, double value) {
    block.push_back(id);
    first.push_back(from);
    last.push_back(to);
    least.push_back(0);
    merit.push_back(value);
  }

  void raise(int32_t from, int32_t to, int64_t top) {
    const size_t end = std::lower_bound(first.begin(), first.end(), to) - first.begin();
    for (size_t i = 0; i < end; ++i)
      if (last[i] > from && least[i] < top) least[i] = top;
  }

  void remove(size_t row) {
    last[row] = 0;
    if (++gone < 64 || gone < block.size() / 4) return;
    size_t kept = 0;
    for (size_t i = 0; i < block.size(); ++i) {
      if (last[i] == 0) continue;
      block[kept] = block[i];
      first[kept] = first[i];
      last[kept] = last[i];
      least[kept] = least[i];
      merit[kept++] = merit[i];
    }
    block.resize(kept);
    first.resize(kept);
    last.resize(kept);
    least.resize(kept);
    merit.resize(kept);
    gone = 0;
  }
};

// The mean height of the waste below a block, from a few of its sections.
double mean_waste(const Sections& sections, int32_t first, int32_t last, int64_t offset) {
  constexpr int32_t kLooks = 16;
  const int32_t step = std::max(1, (last - first) / kLooks);
  double waste = 0;
  int32_t looks = 0;
  for (int32_t t = first; t < last; t += step, ++looks)
    waste += static_cast<double>(offset - sections.top(t));
  return waste / looks;
}

// The row of the block to stack next in `section`.
size_t choose(const Problem& problem, const StackTaste& taste, const Sections& sections,
              const Waiting& waiting, int32_t section, std::vector<size_t>& rows) {
  rows.clear();
  int64_t floor = std::numeric_limits<int64_t>::max();
  const size_t end =
      std::upper_bound(waiting.first.begin(), waiting.first.end(), section) - waiting.first.begin();
  for (size_t i = 0; i < end; ++i) {
    if (waiting.last[i] <= section) continue;
    rows.push_back(i);
    floor = std::min(floor, waiting.least[i]);
  }
  const double unit = taste.waste / static_cast<double>(problem.bound);
  const double most_merit = 4 * (taste.size + taste.width) + taste.noise;
  double best = std::numeric_limits<double>::infinity();
  size_t chosen = rows[0];
  for (const size_t row : rows) {
    // Waste in the fullest section itself counts most.
    double score = 1000 * unit * static_cast<double>(waiting.least[row] - floor);
    if (score - most_merit >= best) continue;
    const double waste =
        mean_waste(sections, waiting.first[row], waiting.last[row], waiting.least[row]);
    score += 100 * unit * waste - waiting.merit[row];
    if (score >= best) continue;
    best = score;
    chosen = row;
  }
  return chosen;
}

}  // namespace

bool stack(const Problem& problem, const StackTaste& taste, int64_t limit, Random& random,
           Effort& effort, std::vector<int64_t>& offsets) {
  Sections sections(problem.sections());
  Waiting waiting;
  std::vector<int32_t> small;
  const auto bound = static_cast<double>(problem.bound);
  for (const int32_t i : ordered(problem, Order::kSize))
    if (static_cast<double>(problem.size[i]) < taste.least_size * bound) small.push_back(i);
  for (int32_t i = 0; i < problem.count(); ++i) {
    const auto size = static_cast<double>(problem.size[i]);
    if (size < taste.least_size * bound) continue;
    waiting.add(
        i, problem.first[i], problem.last[i],
        4 * (taste.size * size / bound + taste.width * problem.width(i) / problem.sections()) +
            taste.noise * random.uniform());
    sections.expect(problem.first[i], problem.last[i], problem.size[i]);
  }
  sections.add_up();

  offsets.assign(problem.size.size(), 0);
  std::vector<int32_t> stacked;
  std::vector<size_t> rows;
  const size_t count = problem.size.size() - small.size();
  while (stacked.size() < count) {
    const size_t row = choose(problem, taste, sections, waiting, sections.fullest(), rows);
    const int32_t block = waiting.block[row];
    const int64_t top = waiting.least[row] + problem.size[block];
    offsets[block] = waiting.least[row];
    stacked.push_back(block);
    sections.put(problem.first[block], problem.last[block], problem.size[block], top);
    waiting.remove(row);
    waiting.raise(problem.first[block], problem.last[block], top);
    const auto steps = waiting.block.size() + 20 * rows.size() + problem.width(block) + 100;
    if (!effort.spend(static_cast<int64_t>(steps))) return false;
  }
  if (!lowest_fit(problem, stacked, small, std::numeric_limits<int64_t>::max(), effort, offsets))
    return false;
  settle(problem, effort, offsets);
  return height_of(problem, offsets) <= limit;
}

}  // namespace penstock::plan
