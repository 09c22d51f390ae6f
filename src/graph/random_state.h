// RandomState: the position of a random op in its stream. It belongs to the node as the user wrote
// it: nodes of all graphs derived from the user's (for other shapes or fetches, or without dead
// code) share it, and with it the stream.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <penstock/memory/counted.h>

namespace penstock {

class RandomState {
 public:
  // Whether set_seed restarts it: in functions it does; a session's states continue.
  enum class Restarts : uint8_t { kWithSeed, kNever };

  explicit RandomState(Restarts restarts) : restarts_(restarts) {}
  // A state that repeats the last draw of `source`, for code that is recomputed for a gradient.
  explicit RandomState(std::shared_ptr<RandomState> source) : source_(std::move(source)) {}

  // Advances the stream by `blocks` and returns the first one's number. No two calls get the same.
  int64_t take(int64_t blocks);
  const std::shared_ptr<RandomState>& source() const { return source_; }

  // Restarts the states of Restarts::kWithSeed.
  static void restart_all();

 private:
  std::mutex mutex_;
  int64_t next_ = 0;
  int64_t last_ = 0;
  uint64_t epoch_ = 0;  // of the seed that next_ belongs to
  Restarts restarts_ = Restarts::kWithSeed;
  const std::shared_ptr<RandomState> source_;
};

using RandomStateRef = std::shared_ptr<RandomState>;

template <typename... Args>
RandomStateRef make_random_state(Args&&... args) {
  return std::allocate_shared<RandomState>(Counted<RandomState>(), std::forward<Args>(args)...);
}
// A state that repeats what `first` draws.
RandomStateRef repeated(const RandomStateRef& first);

}  // namespace penstock
