// Pace: how long calls take, from samples. A stage uses threads only for calls that take longer than
// handing their results from thread to thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace penstock::data {

class Pace {
 public:
  // Makes the call, and measures some of the calls.
  template <typename Call>
  auto measure(Call call) {
    if (--unmeasured_ > 0) return call();
    const auto start = Clock::now();
    const Adder adder{this, start};  // also when the call throws
    return call();
  }
  // Whether the calls take longer than that. The first one may include work that is done once.
  bool is_slower_than(int64_t ns) const {
    return last_ns_ > kLongNs || (samples_ > 1 && mean_ns_ > ns);
  }
  void restart() { *this = Pace(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kLongNs = 5'000'000;  // even a first call
  static constexpr int64_t kFirstSamples = 4, kInterval = 16;

  struct Adder {
    Pace* pace;
    Clock::time_point start;
    ~Adder() {
      using std::chrono::nanoseconds;
      pace->add(std::chrono::duration_cast<nanoseconds>(Clock::now() - start).count());
    }
  };
  void add(int64_t ns) {
    last_ns_ = ns;
    mean_ns_ = samples_ < 2 ? ns : mean_ns_ + (ns - mean_ns_) / 4;
    ++samples_;
    unmeasured_ = samples_ < kFirstSamples ? 1 : kInterval;
  }

  int64_t unmeasured_ = 1;  // calls until the next sample
  int64_t samples_ = 0, last_ns_ = 0, mean_ns_ = 0;
};

}  // namespace penstock::data
