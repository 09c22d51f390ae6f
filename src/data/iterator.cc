#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/data/dataset.h>

#include "data/element.h"
#include "data/stage.h"
#include "data/worker_thread.h"

namespace penstock::data {

struct Iterator::State : std::enable_shared_from_this<Iterator::State> {
  explicit State(const Dataset& a_dataset);
  ~State();
  void close();
  // Destroys it. A thread of a pipeline, which may be one of its own, leaves that to another.
  static void end(State* state) noexcept;

  const Dataset dataset;
  const std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();
  std::mutex mutex;         // one caller at a time
  StageIteratorRef stages;  // null once closed
  Element current;          // of range-for
  bool has_current = false;
};

namespace {

// The live iterators, so that all can be closed. Never destroyed: iterators may outlive main.
struct Registry {
  std::mutex mutex;
  std::unordered_set<Iterator::State*> states;
};
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

// Whether iterators are abandoned from now on: their threads may wait for a host that is gone.
std::atomic<bool> g_is_leaving{false};
constexpr std::chrono::seconds kLeavingPatience(1);

}  // namespace

Iterator::State::State(const Dataset& a_dataset) : dataset(a_dataset) {
  stages = iterate(dataset, Scope(cancellation));
  const std::lock_guard lock(registry().mutex);
  registry().states.insert(this);
}

Iterator::State::~State() {
  {
    const std::lock_guard lock(registry().mutex);
    registry().states.erase(this);
  }
  cancellation->cancel();
}

void Iterator::State::end(State* state) noexcept {
  if (g_is_leaving.load(std::memory_order_relaxed)) return;
  if (!is_worker_thread()) {
    delete state;
    return;
  }
  state->cancellation->cancel();
  try {
    std::thread([state] { delete state; }).detach();
  } catch (const std::system_error&) {  // the system allows no more threads: it is abandoned
  }
}

void Iterator::State::close() {
  cancellation->cancel();
  const std::lock_guard lock(mutex);
  stages.reset();
}

Iterator::Iterator(const Dataset& dataset)
    : state_(with_memory_errors(
          "Iterator", [&] { return std::shared_ptr<State>(new State(dataset), State::end); })) {}

bool Iterator::next(Element& element) {
  State& state = *state_;
  return with_memory_errors("IteratorGetNext", [&] {
    const std::lock_guard lock(state.mutex);
    try {
      if (state.stages != nullptr && state.stages->next(element)) {
        hand_over(element);
        return true;
      }
    } catch (const CancelledError&) {
      if (!state.cancellation->is_cancelled()) throw;  // somebody else's
    }
    element.clear();
    return false;
  });
}

std::string Iterator::save() {
  return with_memory_errors("SerializeIterator", [&] {
    const std::lock_guard lock(state_->mutex);
    if (state_->stages == nullptr) throw FailedPreconditionError("the iterator is closed");
    StateWriter out;
    state_->stages->save(out);
    return out.take();
  });
}

void Iterator::restore(std::string_view bytes) {
  with_memory_errors("DeserializeIterator", [&] {
    const std::lock_guard lock(state_->mutex);
    // A new iterator: a failure leaves the old one as it was.
    StageIteratorRef fresh = iterate(state_->dataset, Scope(state_->cancellation));
    StateReader in(bytes);
    fresh->restore(in);
    in.expect_end();
    state_->stages = std::move(fresh);
  });
}

void Iterator::close() { state_->close(); }

const Element& Iterator::operator*() const { return state_->current; }
Iterator& Iterator::operator++() {
  state_->has_current = next(state_->current);
  return *this;
}
bool Iterator::operator==(std::nullptr_t) const { return !state_->has_current; }
Iterator Dataset::begin() const { return ++Iterator(*this); }

void close_all_iterators() {
  struct Progress {
    std::vector<std::shared_ptr<Iterator::State>> states;
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
  };
  const auto progress = std::make_shared<Progress>();
  {
    const std::lock_guard lock(registry().mutex);
    for (Iterator::State* state : registry().states) {
      if (auto held = state->weak_from_this().lock()) progress->states.push_back(std::move(held));
    }
  }
  if (!progress->states.empty()) {
    for (const auto& state : progress->states) state->cancellation->cancel();
    std::unique_lock lock(progress->mutex);
    try {
      std::thread([progress] {
        for (const auto& state : progress->states) state->close();
        const std::lock_guard done(progress->mutex);
        progress->is_done = true;
        progress->changed.notify_all();
      }).detach();
    } catch (const std::system_error&) {  // no thread: all are abandoned
    }
    progress->changed.wait_for(lock, kLeavingPatience, [&] { return progress->is_done; });
  }
  g_is_leaving.store(true, std::memory_order_relaxed);
}

}  // namespace penstock::data
