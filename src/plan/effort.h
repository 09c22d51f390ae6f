// Effort: the work that planning may still do.
//
// Work is counted in steps (about two nanoseconds: one look at one block), so that the same input
// always stops at the same place; the clock is a second, hard limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace penstock::plan {

class Effort {
 public:
  Effort(double seconds, int64_t steps, std::function<void(double)> tick)
      : limit_(seconds), steps_(steps), tick_(std::move(tick)) {}

  // Counts `steps`; false if the work must end.
  bool spend(int64_t steps) {
    steps_ -= steps;
    unchecked_ += steps;
    if (unchecked_ >= kStepsPerLook) look();
    return !over();
  }
  bool over() const { return steps_ <= 0 || late_; }
  int64_t left() const { return steps_; }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  static constexpr int64_t kStepsPerLook = 200'000;
  static constexpr double kSecondsPerTick = 0.1;

  void look() {
    unchecked_ = 0;
    const double now = seconds();
    late_ = late_ || now >= limit_;
    if (now < next_tick_ || !tick_) return;
    next_tick_ = now + kSecondsPerTick;
    tick_(now);
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const double limit_;
  int64_t steps_;
  int64_t unchecked_ = 0;
  double next_tick_ = kSecondsPerTick;
  bool late_ = false;
  std::function<void(double)> tick_;
};

// A small random generator with the same numbers on all platforms.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // In [0, count).
  int64_t below(int64_t count) {
    return static_cast<int64_t>(uniform() * static_cast<double>(count));
  }

 private:
  uint64_t state_;
};

}  // namespace penstock::plan
