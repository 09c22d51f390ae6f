// RandomState: how far a random op of a graph is in its stream. It belongs to the node as the user
// wrote it: all graphs that are made of his (for other shapes, fetches, or without dead code) have
// nodes that share it, and with it the stream.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <penstock/memory/counted.h>

namespace penstock {

class RandomState {
 public:
  // Where set_seed begins anew: in functions. A session's states go on.
  enum class Restarts : uint8_t { kWithSeed, kNever };

  explicit RandomState(Restarts restarts) : restarts_(restarts) {}
  // One that draws what `source` drew last: of code that is run again for a gradient.
  explicit RandomState(std::shared_ptr<RandomState> source) : source_(std::move(source)) {}

  // Takes the next `blocks` of the stream; the number of the first one. No two calls get the same.
  int64_t take(int64_t blocks);
  const std::shared_ptr<RandomState>& source() const { return source_; }

  // Those of Restarts::kWithSeed begin anew.
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
// What draws again what `first` draws.
RandomStateRef repeated(const RandomStateRef& first);

}  // namespace penstock
