#include "plan/schedule.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace penstock::plan {
namespace {

constexpr size_t kMostStepsExactly = 24;
constexpr size_t kMostStates = 4000;
constexpr size_t kLongestChain = 4;  // a gradient, its scaling, the update: and one more

size_t at(int32_t index) { return static_cast<size_t>(index); }

std::vector<int32_t> count_before(const ScheduleProblem& problem) {
  std::vector<int32_t> before(problem.steps.size());
  for (const ScheduleStep& step : problem.steps) {
    for (int32_t next : step.next) ++before[at(next)];
  }
  return before;
}

std::vector<std::vector<int32_t>> find_previous(const ScheduleProblem& problem) {
  std::vector<std::vector<int32_t>> previous(problem.steps.size());
  for (size_t s = 0; s < problem.steps.size(); ++s) {
    for (int32_t next : problem.steps[s].next)
      previous[at(next)].push_back(static_cast<int32_t>(s));
  }
  return previous;
}

// The bytes held while steps run in turn.
class Memory {
 public:
  explicit Memory(const ScheduleProblem& problem) {
    for (const ScheduleItem& item : problem.items) {
      remaining_.push_back(static_cast<int32_t>(item.users.size()) + item.is_result);
      bytes_.push_back(item.bytes);
    }
  }

  int64_t live() const { return live_; }
  int32_t remaining(int32_t item) const { return remaining_[at(item)]; }

  struct Change {
    int64_t during, after;  // of the bytes held
  };
  Change change(const ScheduleStep& step) const {
    int64_t added = step.scratch, freed = step.scratch;
    for (int32_t item : step.makes) {
      added += bytes_[at(item)];
      if (remaining_[at(item)] == 0) freed += bytes_[at(item)];
    }
    for (int32_t item : step.uses) {
      if (remaining_[at(item)] == 1) freed += bytes_[at(item)];
    }
    // Memory that is taken over is neither allocated nor freed.
    const uint64_t takeovers = takes(step);
    for (size_t i = 0; i < step.takes.size(); ++i) {
      if ((takeovers >> i & 1) == 0) continue;
      added -= bytes_[at(step.takes[i].made)];
      freed -= bytes_[at(step.takes[i].used)];
    }
    return {added, added - freed};
  }

  void run(const ScheduleStep& step) {
    live_ += change(step).after;
    const uint64_t takeovers = takes(step);
    for (size_t i = 0; i < step.takes.size(); ++i) {
      const ScheduleStep::Takes& take = step.takes[i];
      if ((takeovers >> i & 1) != 0) bytes_[at(take.made)] = bytes_[at(take.used)];
    }
    for (int32_t item : step.uses) --remaining_[at(item)];
  }

 private:
  // The entries of step.takes that take effect, as bits.
  uint64_t takes(const ScheduleStep& step) const {
    uint64_t takeovers = 0;
    for (size_t i = 0; i < std::min<size_t>(step.takes.size(), 64); ++i) {
      const ScheduleStep::Takes& take = step.takes[i];
      bool is_free = remaining_[at(take.used)] == 1;
      for (size_t k = 0; k < i; ++k) {
        if ((takeovers >> k & 1) == 0) continue;
        is_free = is_free && step.takes[k].made != take.made && step.takes[k].used != take.used;
      }
      takeovers |= static_cast<uint64_t>(is_free) << i;
    }
    return takeovers;
  }

  std::vector<int32_t> remaining_;  // users that have not run
  std::vector<int64_t> bytes_;      // of items, when they were made
  int64_t live_ = 0;
};

}  // namespace

int64_t schedule_peak(const ScheduleProblem& problem, const StepOrder& order) {
  Memory memory(problem);
  int64_t peak = 0;
  for (int32_t step : order) {
    peak = std::max(peak, memory.live() + memory.change(problem.steps[at(step)]).during);
    memory.run(problem.steps[at(step)]);
  }
  return peak;
}

int64_t schedule_bound(const ScheduleProblem& problem) {
  int64_t bound = 0;
  for (const ScheduleStep& step : problem.steps) {
    int64_t used = 0, added = 0, reused = 0;
    for (int32_t item : step.uses) used += problem.items[at(item)].bytes;
    for (int32_t item : step.makes) added += problem.items[at(item)].bytes;
    for (int32_t item : step.makes) {
      for (const ScheduleStep::Takes& take : step.takes) {
        if (take.made != item) continue;
        reused += problem.items[at(item)].bytes;
        break;
      }
    }
    bound = std::max(bound, used + added - reused + step.scratch);
  }
  return bound;
}

StepOrder schedule_by_number(const ScheduleProblem& problem) {
  std::vector<int32_t> before = count_before(problem);
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (size_t s = 0; s < before.size(); ++s) {
    if (before[s] == 0) ready.push(static_cast<int32_t>(s));
  }
  StepOrder order;
  while (!ready.empty()) {
    const int32_t step = ready.top();
    ready.pop();
    order.push_back(step);
    for (int32_t next : problem.steps[at(step)].next) {
      if (--before[at(next)] == 0) ready.push(next);
    }
  }
  return order;
}

namespace {

// The ready steps, with the bytes that they and the best chain waiting only for them add.
class GreedyScheduler {
 public:
  explicit GreedyScheduler(const ScheduleProblem& problem)
      : problem_(problem),
        memory_(problem),
        before_(count_before(problem)),
        previous_(find_previous(problem)),
        key_(problem.steps.size()),
        is_done_(problem.steps.size()) {}

  StepOrder find() {
    for (size_t s = 0; s < before_.size(); ++s) {
      if (before_[s] == 0) offer(static_cast<int32_t>(s));
    }
    StepOrder order;
    while (!ready_.empty()) {
      const auto [entry_key, step] = ready_.top();
      ready_.pop();
      if (is_done_[at(step)] || entry_key != key_[at(step)]) continue;
      is_done_[at(step)] = true;
      order.push_back(step);
      memory_.run(problem_.steps[at(step)]);
      offer_followers(problem_.steps[at(step)]);
    }
    return order;
  }

 private:
  using Entry = std::pair<int64_t, int32_t>;

  bool is_ready(int32_t step) const { return !is_done_[at(step)] && before_[at(step)] == 0; }

  // The bytes that the next step after `chain_` adds.
  int64_t added_by(int32_t next) const {
    const ScheduleStep& follower = problem_.steps[at(next)];
    int64_t added = memory_.change(follower).after;
    for (int32_t item : follower.uses) {
      int32_t users = 0;
      for (int32_t step : chain_) {
        const std::vector<int32_t>& uses = problem_.steps[at(step)].uses;
        users += std::find(uses.begin(), uses.end(), item) != uses.end();
      }
      // An item that only the chain uses is freed after its last step.
      if (users > 0 && memory_.remaining(item) == users + 1)
        added -= problem_.items[at(item)].bytes;
    }
    return added;
  }

  void offer(int32_t step) {
    chain_.assign(1, step);
    int64_t sum = memory_.change(problem_.steps[at(step)]).after;
    int64_t best = sum;
    while (chain_.size() < kLongestChain) {
      int32_t follower = -1;
      int64_t least = 0;
      for (int32_t next : problem_.steps[at(chain_.back())].next) {
        if (before_[at(next)] != 1) continue;
        const int64_t added = added_by(next);
        if (follower < 0 || added < least) follower = next, least = added;
      }
      if (follower < 0) break;
      chain_.push_back(follower);
      sum += least;
      best = std::min(best, sum);
    }
    key_[at(step)] = best;
    ready_.push({best, step});
  }

  // Offers the steps that this one made ready, and those whose gain has changed.
  void offer_followers(const ScheduleStep& step) {
    for (int32_t next : step.next) {
      if (--before_[at(next)] == 0) offer(next);
      if (before_[at(next)] != 1) continue;
      // The gain of the step that it still waits for may have changed.
      for (int32_t last : previous_[at(next)]) {
        if (is_ready(last)) offer(last);
      }
    }
    for (int32_t item : step.uses) {
      if (memory_.remaining(item) != 1) continue;
      for (int32_t user : problem_.items[at(item)].users) {
        if (is_ready(user)) offer(user);
      }
    }
  }

  const ScheduleProblem& problem_;
  Memory memory_;
  std::vector<int32_t> before_;  // of steps: how many have to come first
  const std::vector<std::vector<int32_t>> previous_;
  std::vector<int64_t> key_;  // of steps, as they were offered last
  std::vector<bool> is_done_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;  // some out of date
  std::vector<int32_t> chain_;
};

}  // namespace

StepOrder schedule_greedily(const ScheduleProblem& problem) {
  return GreedyScheduler(problem).find();
}

StepOrder schedule_by_results(const ScheduleProblem& problem) {
  const std::vector<std::vector<int32_t>> previous = find_previous(problem);
  std::vector<bool> is_seen(problem.steps.size());
  StepOrder order;
  std::vector<std::pair<int32_t, size_t>> path;  // steps, and how many of their previous were seen
  for (size_t result = 0; result < problem.steps.size(); ++result) {
    if (!problem.steps[result].next.empty()) continue;
    path.push_back({static_cast<int32_t>(result), 0});
    while (!path.empty()) {
      auto& [step, seen] = path.back();
      if (seen == previous[at(step)].size()) {
        order.push_back(step);
        path.pop_back();
        continue;
      }
      const int32_t next = previous[at(step)][seen++];
      if (is_seen[at(next)]) continue;
      is_seen[at(next)] = true;
      path.push_back({next, 0});
    }
  }
  return order;
}

StepOrder schedule_exactly(const ScheduleProblem& problem, int64_t peak) {
  const size_t count = problem.steps.size();
  if (count > kMostStepsExactly) return {};
  std::vector<uint32_t> before(count);
  for (size_t s = 0; s < count; ++s) {
    for (int32_t next : problem.steps[s].next) before[at(next)] |= 1u << s;
  }
  // The best way to have run a set of steps; sets by size.
  struct State {
    int64_t peak;
    int32_t last;
  };
  std::unordered_map<uint32_t, State> states{{0, {0, -1}}};
  std::vector<uint32_t> layer{0};
  for (size_t done = 0; done < count; ++done) {
    std::vector<uint32_t> next_layer;
    for (uint32_t set : layer) {
      const State from = states[set];
      Memory memory(problem);
      StepOrder way;
      for (uint32_t rest = set; rest != 0;) {
        way.push_back(states[rest].last);
        rest &= ~(1u << way.back());
      }
      for (size_t i = way.size(); i-- > 0;) memory.run(problem.steps[at(way[i])]);
      for (size_t s = 0; s < count; ++s) {
        if ((set >> s & 1) != 0 || (before[s] & ~set) != 0) continue;
        const int64_t during = memory.live() + memory.change(problem.steps[s]).during;
        const State to{std::max(from.peak, during), static_cast<int32_t>(s)};
        if (to.peak >= peak) continue;
        const auto [found, is_new] = states.try_emplace(set | 1u << s, to);
        if (is_new) {
          next_layer.push_back(set | 1u << s);
        } else if (to.peak < found->second.peak) {
          found->second = to;
        }
      }
      if (states.size() > kMostStates) return {};
    }
    layer = std::move(next_layer);
  }
  if (layer.empty()) return {};
  StepOrder order;
  for (uint32_t rest = layer[0]; rest != 0;) {
    order.push_back(states[rest].last);
    rest &= ~(1u << order.back());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

StepOrder choose_schedule(const ScheduleProblem& problem) {
  StepOrder best = schedule_by_number(problem);
  int64_t peak = schedule_peak(problem, best);
  const int64_t bound = schedule_bound(problem);
  if (peak <= bound) return best;
  for (const auto& make : {schedule_greedily, schedule_by_results}) {
    StepOrder order = make(problem);
    const int64_t peak_of_order = schedule_peak(problem, order);
    if (peak_of_order >= peak) continue;
    best = std::move(order);
    peak = peak_of_order;
  }
  if (peak <= bound) return best;
  if (StepOrder exact = schedule_exactly(problem, peak); !exact.empty()) best = std::move(exact);
  return best;
}

}  // namespace penstock::plan
