#include "plan/search.h"

#include <algorithm>
#include <limits>

namespace penstock::plan {
namespace {

constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max();
// The least offset of a placed block: too large to affect any minimum.
constexpr int64_t kFar = kInfinite / 4;
constexpr int64_t kFailuresPerStart = 150;
constexpr int32_t kMaxBlocksToSearch = 6000;
constexpr int64_t kMaxTableEntries = 8'000'000;

// 1 1 2 1 1 2 4 …: mostly short attempts, with occasional long ones.
int64_t luby(int64_t i) {
  for (;;) {
    int64_t power = 1;
    while (power < i + 1) power = 2 * power + 1;
    if (power == i + 1) return (power + 1) / 2;
    i -= power / 2;
  }
}

}  // namespace

bool Search::is_feasible(const Problem& problem) {
  if (problem.count() > kMaxBlocksToSearch) return false;
  int64_t entries = int64_t{problem.count()} * problem.count() / 4;
  for (int32_t i = 0; i < problem.count(); ++i) entries += problem.width(i);
  return entries <= kMaxTableEntries;
}

Search::Search(const Problem& problem, uint64_t seed) : problem_(problem), random_(seed) {
  const int32_t count = problem.count();
  live_.resize(problem.sections());
  beside_.resize(count);
  next_twin_.assign(count, -1);
  previous_twin_.assign(count, -1);
  is_touched_.assign(problem.sections(), 0);
  weight_.assign(problem.sections(), 1);
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t t = problem.first[i]; t < problem.last[i]; ++t) live_[t].push_back(i);
    for (int32_t j = i + 1; j < count && problem.first[j] < problem.last[i]; ++j) {
      beside_[i].push_back(j);
      beside_[j].push_back(i);
      if (next_twin_[i] < 0 && problem.first[i] == problem.first[j] &&
          problem.last[i] == problem.last[j] && problem.size[i] == problem.size[j]) {
        next_twin_[i] = j;
        previous_twin_[j] = i;
      }
    }
  }
}

Search::Answer Search::run(int64_t height, int64_t steps, Effort& effort) {
  effort_ = &effort;
  steps_left_ = steps;
  for (int64_t attempt = 0;; ++attempt) {
    if (!start(height)) return Answer::kImpossible;
    failures_left_ = kFailuresPerStart * luby(attempt);
    const Answer answer = descend();
    if (answer != Answer::kGaveUp) return answer;
    if (steps_left_ <= 0 || effort.over()) return Answer::kGaveUp;
  }
}

// The state before anything is placed; false if the height is too low.
bool Search::start(int64_t height) {
  const int32_t count = problem_.count();
  height_ = height;
  floor_.assign(problem_.sections(), 0);
  lowest_top_.assign(problem_.sections(), 0);
  left_ = problem_.load;
  count_.assign(problem_.sections(), 0);
  least_.assign(count, 0);
  placed_.assign(count, 0);
  waits_.assign(count, 0);
  merit_.resize(count);
  offsets_.assign(count, 0);
  num_placed_ = 0;
  trail_.clear();
  const double for_size = 4 * random_.uniform() / static_cast<double>(height);
  const double for_width = 4 * random_.uniform() / problem_.sections();
  for (int32_t i = 0; i < count; ++i) {
    merit_[i] = for_size * static_cast<double>(problem_.size[i]) + for_width * problem_.width(i) +
                0.2 * random_.uniform();
  }
  for (int32_t t = 0; t < problem_.sections(); ++t) {
    count_[t] = static_cast<int32_t>(live_[t].size());
    touch(t);
  }
  for (int32_t i = 0; i < count; ++i) {
    if (previous_twin_[i] < 0 && !raise(i, 0)) return false;
  }
  return propagate();
}

// Completes the partial layout in every way, or finds that it cannot be completed.
Search::Answer Search::descend() {
  if (num_placed_ == problem_.count()) return Answer::kFound;
  const size_t mark = trail_.size();
  for (;;) {
    const int32_t section = choose_section();
    const int32_t block = choose_block(section);
    if (block < 0) {
      fail(section);
      break;
    }
    const size_t before = trail_.size();
    const bool fits = place(block);
    steps_left_ -= steps_;
    const bool goes_on = effort_->spend(steps_) && steps_left_ > 0 && failures_left_ > 0;
    steps_ = 0;
    if (fits && goes_on) {
      const Answer answer = descend();
      if (answer != Answer::kImpossible) return answer;
    }
    if (!goes_on) return Answer::kGaveUp;
    undo(before);
    if (!refute(block)) {
      fail(section);
      break;
    }
  }
  undo(mark);
  return Answer::kImpossible;
}

// The section with the most bytes left, weighted by earlier failures.
int32_t Search::choose_section() {
  int32_t chosen = -1;
  double best = std::numeric_limits<double>::infinity();
  const double base = 0.001 * static_cast<double>(height_);
  for (int32_t t = 0; t < problem_.sections(); ++t) {
    if (count_[t] == 0) continue;
    const double score =
        (static_cast<double>(slack(t)) + base) / weight_[t] + static_cast<double>(floor_[t]);
    if (score >= best) continue;
    best = score;
    chosen = t;
  }
  steps_ += problem_.sections();
  return chosen;
}

// The block to place next for `section`, or -1.
int32_t Search::choose_block(int32_t section) {
  const auto is_free = [&](int32_t i) {
    return !placed_[i] && !waits_[i] && (previous_twin_[i] < 0 || placed_[previous_twin_[i]]);
  };
  // The highest possible offset of the section's lowest block.
  const int64_t limit = height_ - left_[section];
  int32_t chosen = -1;
  double best = std::numeric_limits<double>::infinity();
  for (const int32_t i : live_[section]) {
    if (!is_free(i) || least_[i] > limit) continue;
    const double score = cost(i, section, limit);
    if (score >= best) continue;
    best = score;
    chosen = i;
  }
  if (chosen >= 0) return chosen;
  // All of those rest on blocks outside the section, which must come first.
  int64_t lowest = kInfinite;
  for (int32_t i = 0; i < problem_.count(); ++i) {
    if (!is_free(i) || least_[i] + problem_.size[i] > limit || least_[i] >= lowest) continue;
    lowest = least_[i];
    chosen = i;
  }
  steps_ += problem_.count();
  return chosen;
}

// The cost of placing `block`: the room it wastes, as a share of each section's slack.
double Search::cost(int32_t block, int32_t section, int64_t limit) {
  const int64_t offset = least_[block];
  double waste = 0;
  for (int32_t t = problem_.first[block]; t < problem_.last[block]; ++t) {
    waste += static_cast<double>(offset - floor_[t]) / static_cast<double>(slack(t) + 1);
  }
  steps_ += 4 * problem_.width(block);
  const double here = static_cast<double>(offset - floor_[section]) /
                      static_cast<double>(limit - floor_[section] + 1);
  return 4 * here + 2 * waste / problem_.width(block) - merit_[block];
}

bool Search::place(int32_t block) {
  const int64_t size = problem_.size[block];
  offsets_[block] = least_[block];
  placed_[block] = 1;
  ++num_placed_;
  trail_.push_back({Field::kPlaced, block, least_[block]});
  least_[block] = kFar;
  for (int32_t t = problem_.first[block]; t < problem_.last[block]; ++t) {
    left_[t] -= size;
    --count_[t];
    touch(t);
  }
  const int64_t top = offsets_[block] + size;
  steps_ += static_cast<int64_t>(beside_[block].size());
  for (const int32_t other : beside_[block]) {
    if (placed_[other]) continue;
    if (waits_[other]) {
      trail_.push_back({Field::kWaits, other, 1});
      waits_[other] = 0;
    }
    if (!raise(other, top)) {
      fail(std::max(problem_.first[other], problem_.first[block]));
      return false;
    }
  }
  return propagate();
}

// Concludes that `block` is not at its least offset on the placed blocks: another one lies between.
bool Search::refute(int32_t block) {
  trail_.push_back({Field::kWaits, block, waits_[block]});
  waits_[block] = 1;
  int64_t lowest_top = kInfinite;
  for (const int32_t other : beside_[block]) {
    if (!placed_[other]) lowest_top = std::min(lowest_top, least_[other] + problem_.size[other]);
  }
  steps_ += static_cast<int64_t>(beside_[block].size());
  if (lowest_top == kInfinite) return false;
  return raise(block, lowest_top) && propagate();
}

// Raises the least offset of `block`, and of its twins above it; false if one exceeds the height.
bool Search::raise(int32_t block, int64_t least) {
  for (; block >= 0; block = next_twin_[block]) {
    const int64_t top = std::max(least, least_[block]) + problem_.size[block];
    if (top > height_) {
      forget_touched();
      return false;
    }
    if (least > least_[block]) {
      rise(block, least);
    }
    least = top;
  }
  return true;
}

void Search::rise(int32_t block, int64_t least) {
  const int64_t old = least_[block];
  const int64_t old_top = old + problem_.size[block];
  trail_.push_back({Field::kLeast, block, old});
  least_[block] = least;
  // Only sections where the block may have been the lowest, or no longer can be, are affected.
  for (int32_t t = problem_.first[block]; t < problem_.last[block]; ++t) {
    if (old == floor_[t] || old_top == lowest_top_[t] ||
        (least < lowest_top_[t] && least > height_ - left_[t])) {
      touch(t);
    }
  }
}

bool Search::propagate() {
  for (size_t i = 0; i < touched_.size(); ++i) {
    const int32_t section = touched_[i];
    is_touched_[section] = 0;
    if (count_[section] > 0 && !tighten(section)) {
      fail(section);
      forget_touched();
      return false;
    }
  }
  touched_.clear();
  return true;
}

// Raises the floor of a section to the least offset of the blocks that can be its lowest, and the
// other blocks above one that can.
bool Search::tighten(int32_t section) {
  const int64_t limit = height_ - left_[section];
  int64_t floor = kFar;
  int64_t lowest_top = kFar;
  for (const int32_t i : live_[section]) {
    const int64_t least = least_[i];
    const int64_t top = least <= limit ? least + problem_.size[i] : kFar;
    floor = std::min(floor, least);
    lowest_top = std::min(lowest_top, top);
  }
  steps_ += 2 * static_cast<int64_t>(live_[section].size());
  if (floor > limit) return false;
  if (floor > floor_[section]) {
    trail_.push_back({Field::kFloor, section, floor_[section]});
    floor_[section] = floor;
  }
  if (lowest_top != lowest_top_[section]) {
    trail_.push_back({Field::kLowestTop, section, lowest_top_[section]});
    lowest_top_[section] = lowest_top;
  }
  for (const int32_t i : live_[section]) {
    if (least_[i] > limit && least_[i] < lowest_top && !raise(i, lowest_top)) return false;
  }
  return true;
}

void Search::undo(size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const auto [field, index, old] = trail_.back();
    switch (field) {
      case Field::kFloor:
        floor_[index] = old;
        break;
      case Field::kLowestTop:
        lowest_top_[index] = old;
        break;
      case Field::kLeast:
        least_[index] = old;
        break;
      case Field::kWaits:
        waits_[index] = static_cast<char>(old);
        break;
      case Field::kPlaced:
        placed_[index] = 0;
        least_[index] = old;
        --num_placed_;
        for (int32_t t = problem_.first[index]; t < problem_.last[index]; ++t) {
          left_[t] += problem_.size[index];
          ++count_[t];
        }
        break;
    }
  }
}

void Search::fail(int32_t section) {
  --failures_left_;
  weight_[section] += 1;
}

void Search::touch(int32_t section) {
  if (is_touched_[section]) return;
  is_touched_[section] = 1;
  touched_.push_back(section);
}

void Search::forget_touched() {
  for (const int32_t section : touched_) is_touched_[section] = 0;
  touched_.clear();
}

}  // namespace penstock::plan
