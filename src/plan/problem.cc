#include "plan/problem.h"

#include <algorithm>
#include <numeric>

namespace penstock::plan {
namespace {

// The moments of the sections: the last start before each run of ends.
std::vector<int64_t> section_moments(std::span<const Block> blocks, std::span<const int32_t> ids) {
  std::vector<int64_t> ends;
  ends.reserve(ids.size());
  for (const int32_t id : ids) ends.push_back(blocks[id].upper);
  std::sort(ends.begin(), ends.end());
  std::vector<int64_t> moments;
  size_t started = 0;
  for (const int64_t end : ends) {
    const size_t before = started;
    while (started < ids.size() && blocks[ids[started]].lower < end) ++started;
    if (started > before) moments.push_back(blocks[ids[started - 1]].lower);
  }
  return moments;
}

}  // namespace

Problem make_problem(std::span<const Block> blocks, std::span<const int32_t> ids) {
  const std::vector<int64_t> moments = section_moments(blocks, ids);
  const auto section = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(moments.begin(), moments.end(), time) -
                                moments.begin());
  };
  Problem problem;
  problem.load.assign(moments.size() + 1, 0);
  problem.grain = 0;
  for (const int32_t id : ids) {
    const Block& block = blocks[id];
    problem.first.push_back(section(block.lower));
    problem.last.push_back(section(block.upper));
    problem.size.push_back(block.size);
    problem.load[problem.first.back()] += block.size;
    problem.load[problem.last.back()] -= block.size;
    problem.grain = std::gcd(problem.grain, block.size);
  }
  std::partial_sum(problem.load.begin(), problem.load.end(), problem.load.begin());
  problem.load.pop_back();
  for (const int64_t bytes : problem.load) problem.bound = std::max(problem.bound, bytes);
  return problem;
}

int64_t height_of(const Problem& problem, std::span<const int64_t> offsets) {
  int64_t height = 0;
  for (int32_t i = 0; i < problem.count(); ++i)
    height = std::max(height, offsets[i] + problem.size[i]);
  return height;
}

}  // namespace penstock::plan
