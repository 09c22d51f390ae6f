// ParallelMap: a function of every element, for several elements at the same time.
#include <algorithm>
#include <utility>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/threads.h>

#include "data/crew.h"
#include "data/element.h"
#include "data/items.h"
#include "data/pace.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"
#include "exec/function/needs_order.h"

namespace penstock::data {
namespace {

enum { kDeterministic };

constexpr int64_t kMostWorkers = 64;
// Calls that take less stay on the user's thread.
constexpr int64_t kShortNs = 30'000;
// The results of calls that the runtime chooses take at most this part of the budget.
constexpr int64_t kPartOfBudget = 16;
constexpr int64_t kMeasuredCalls = 32;

void infer(DatasetState& state) {
  check_scalar(state, 0, "num_parallel_calls");
  if (is_known(state, 0) && state.number(0) != kAutotune && state.number(0) <= 0)
    throw InvalidArgumentError(
        "[ParallelMapDataset] num_parallel_calls must be greater than zero.");
  state.spec = state.functions[0].spec();
}

// The number of results at a time, if each has that many bytes.
int64_t num_calls(const DatasetState& state, int64_t bytes) {
  const int64_t asked = state.number(0);
  if (asked != kAutotune) return asked;
  const int64_t most = num_threads();
  if (bytes <= 0) return most;
  return std::clamp<int64_t>(ledger::limit(0) / kPartOfBudget / bytes, 1, most);
}

// Tickets are numbers of elements. A thread takes the next ticket together with the next input
// element; the result goes to the ticket's place in a ring, or, if the order does not matter, to the
// next place. At most as many tickets are out as the ring has places.
class Calls {
 public:
  Calls(StateRef state, const Scope& scope)
      : state_(std::move(state)),
        crew_(scope),
        function_(state_),
        input_(iterate(state_->input(), crew_.below())),
        ring_(static_cast<size_t>(
            std::clamp<int64_t>(num_calls(*state_, bytes_of(state_->spec)), 1, kMostRing))),
        is_in_order_(state_->settings[kDeterministic] != 0),
        stays_here_(ring_.size() == 1 || exec::needs_order(state_->functions[0].function())) {}
  ~Calls() { crew_.stop(); }
  bool is_lost() const { return crew_.is_lost(); }

  bool next(Element& element) {
    for (;;) {
      if (!crew_.is_working()) {
        if (given_ < taken_) return take(element);
        if (has_ended_) return false;
        if (!wants_threads()) return call_here(element);
        start();
      }
      Crew::Lock lock(crew_.mutex());
      crew_.wait_for_result(lock, [&] {
        return place(given_).is_ready || (given_ == taken_ && (has_ended_ || is_cheap_));
      });
      if (place(given_).is_ready) {
        Item item = std::move(place(given_).item);
        place(given_++) = {};
        crew_.wake_worker();
        lock.unlock();
        give(std::move(item), element);
        return true;
      }
      lock.unlock();
      crew_.join();  // they are at their end
    }
  }

  void save(StateWriter& out) {
    Crew::Lock lock(crew_.mutex());
    is_paused_ = true;
    try {
      crew_.wait_for_result(lock, [&] { return num_busy_ == 0; });
      out.number(given_);
      out.number(taken_ - given_);
      for (int64_t i = given_; i < taken_; ++i) save_item(out, place(i).item);
      out.number(has_ended_);
      input_->save(out);
    } catch (...) {
      resume();
      throw;
    }
    resume();
  }
  // Pre: no thread yet.
  void restore(StateReader& in) {
    given_ = in.count(INT64_MAX / 2);
    const int64_t count = in.count(static_cast<int64_t>(ring_.size()));
    taken_ = done_ = given_ + count;
    for (int64_t i = given_; i < taken_; ++i) {
      restore_item(in, place(i).item);
      place(i).is_ready = true;
    }
    has_ended_ = in.count(1) != 0;
    input_->restore(in);
  }

 private:
  static constexpr int64_t kMostRing = 1 << 16;
  struct Place {
    Item item;
    bool is_ready = false;
  };

  Place& place(int64_t ticket) { return ring_[static_cast<size_t>(ticket) % ring_.size()]; }
  void resume() {
    is_paused_ = false;
    crew_.wake_workers();
  }

  // Threads that are asked for are tried at once, those that may be chosen after slow calls.
  bool wants_threads() const {
    if (stays_here_) return false;
    const bool is_chosen = state_->number(0) == kAutotune || is_cheap_;
    return !is_chosen || pace_.is_slower_than(kShortNs);
  }

  // A result from the ring, without threads.
  bool take(Element& element) {
    Item item = std::move(place(given_).item);
    place(given_++) = {};
    give(std::move(item), element);
    return true;
  }

  bool call_here(Element& element) {
    has_ended_ = !input_->next(element);
    if (has_ended_) return false;
    const int64_t index = taken_++;
    given_ = done_ = taken_;
    pace_.measure([&] { function_(element, index, element); });
    return true;
  }

  void start() {
    is_cheap_ = false;
    num_measured_ = spent_ns_ = 0;
    crew_.start(std::min<size_t>(ring_.size(), kMostWorkers), [this] { work(); });
  }

  void work() {
    Item item;
    int64_t ticket;
    while (take_ticket(item, &ticket)) {
      const auto start = std::chrono::steady_clock::now();
      if (item.error == nullptr) {
        try {
          function_(item.element, ticket, item.element);
          hold(item.element, 0);
        } catch (...) {
          item.error = std::current_exception();
          item.element.clear();
        }
      }
      const auto spent = std::chrono::steady_clock::now() - start;
      const Crew::Lock lock(crew_.mutex());
      const int64_t to = is_in_order_ ? ticket : done_;
      ++done_;
      place(to).item = std::exchange(item, {});
      place(to).is_ready = true;
      --num_busy_;
      measure(std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count());
      if (to == given_ || is_paused_) crew_.wake_user();
    }
  }

  // Short calls go back to the user's thread.
  void measure(int64_t ns) {
    spent_ns_ += ns;
    if (++num_measured_ < kMeasuredCalls) return;
    is_cheap_ = is_cheap_ || spent_ns_ < kMeasuredCalls * kShortNs;
    num_measured_ = spent_ns_ = 0;
    if (is_cheap_) pace_.restart();
  }

  // Takes the next input element and its number; false when the thread is to end.
  bool take_ticket(Item& item, int64_t* ticket) {
    const std::lock_guard turn(input_mutex_);
    {
      Crew::Lock lock(crew_.mutex());
      const auto is_over = [&] { return has_ended_ || is_cheap_; };
      crew_.wait_for_work(lock, [&] {
        const bool has_room = taken_ - given_ < static_cast<int64_t>(ring_.size());
        return is_over() || (has_room && !is_paused_);
      });
      if (crew_.is_cancelled() || is_over()) {
        crew_.wake_user();
        return false;
      }
      ++num_busy_;
    }
    const bool is_one = pull(*input_, item);
    const Crew::Lock lock(crew_.mutex());
    if (is_one) {
      *ticket = taken_++;
      return true;
    }
    has_ended_ = true;
    --num_busy_;
    crew_.wake_user();
    return false;
  }

  const StateRef state_;
  Crew crew_;
  const FunctionCall function_;
  std::mutex input_mutex_;  // held while an element is taken from the input
  StageIteratorRef input_;
  std::vector<Place> ring_;
  const bool is_in_order_, stays_here_;
  Pace pace_;  // of calls on the user's thread
  // The mutex of the crew guards these, while there are threads.
  int64_t taken_ = 0, done_ = 0, given_ = 0;  // tickets; done_ counts
  int64_t num_busy_ = 0;                      // threads between two tickets
  int64_t num_measured_ = 0, spent_ns_ = 0;
  bool has_ended_ = false, is_paused_ = false, is_cheap_ = false;
};

class ParallelMapIterator final : public NamedIterator {
 public:
  ParallelMapIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope), calls_(std::make_unique<Calls>(state_, scope_)) {}
  bool next(Element& element) override { return calls_->next(element); }

 private:
  void save_own(StateWriter& out) override { calls_->save(out); }
  void restore_own(StateReader& in) override { calls_->restore(in); }

  Abandoned<Calls> calls_;
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t calls = num_calls(state, bytes_of(state.spec));
  plan.elements(state, "results", calls, state.spec, false);
  plan.calls(state.functions[0], std::min(calls, kMostWorkers));
}

}  // namespace

extern const StageDef kParallelMap;
constexpr Setting kParallelMapSettings[] = {{"deterministic", 1}};
const StageDef kParallelMap = {.name = "ParallelMap",
                               .num_operands = 1,
                               .num_functions = 1,
                               .settings = kParallelMapSettings,
                               .infer = infer,
                               .iterate = make_iterator<ParallelMapIterator>,
                               .plan = plan};

}  // namespace penstock::data
