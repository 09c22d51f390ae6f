// Prefetch: a thread computes elements ahead of their use.
#include <algorithm>
#include <deque>
#include <exception>

#include <penstock/base/error.h>

#include "data/crew.h"
#include "data/element.h"
#include "data/items.h"
#include "data/pace.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

constexpr int64_t kChosenDepth = 2;

int64_t depth_of(const DatasetState& state) {
  const int64_t asked = state.number(0);
  return asked == kAutotune ? kChosenDepth : asked;
}

void infer(DatasetState& state) {
  check_scalar(state, 0, "buffer_size");
  if (is_known(state, 0) && state.number(0) < kAutotune)
    throw InvalidArgumentError("[PrefetchDataset] buffer_size must be >= 0 or -1 (auto-tuned)");
  state.spec = state.input().spec();
}

// Elements that take less stay on the user's thread: there is nothing to win.
constexpr int64_t kShortNs = 50'000;
constexpr int64_t kMeasuredElements = 64;

class ReadAhead {
 public:
  ReadAhead(const StateRef& state, const Scope& scope)
      : depth_(static_cast<size_t>(depth_of(*state))),
        crew_(scope),
        input_(iterate(state->input(), crew_.below())) {}
  ~ReadAhead() { crew_.stop(); }
  bool is_lost() const { return crew_.is_lost(); }

  bool next(Element& element) {
    for (;;) {
      if (!crew_.is_working()) {
        if (!items_.empty()) return take(element);
        if (has_ended_) return false;
        if (depth_ == 0 || !pace_.is_slower_than(kShortNs)) return read_here(element);
        is_cheap_ = false;
        num_measured_ = spent_ns_ = 0;
        crew_.start(1, [this] { work(); });
      }
      Crew::Lock lock(crew_.mutex());
      crew_.wait_for_result(lock, [&] { return !items_.empty() || has_ended_ || is_cheap_; });
      if (!items_.empty()) {
        Item item = std::move(items_.front());
        items_.pop_front();
        if (items_.size() <= (depth_ - 1) / 2) crew_.wake_worker();
        lock.unlock();
        give(std::move(item), element);
        return true;
      }
      lock.unlock();
      crew_.join();  // it is at its end
    }
  }

  // While the thread is between two elements.
  void save(StateWriter& out) {
    Crew::Lock lock(crew_.mutex());
    is_paused_ = true;
    try {
      crew_.wait_for_result(lock, [&] { return !is_busy_; });
      out.number(static_cast<int64_t>(items_.size()));
      for (const Item& item : items_) save_item(out, item);
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
    const int64_t count = in.count(INT32_MAX);
    for (int64_t i = 0; i < count; ++i) restore_item(in, items_.emplace_back());
    has_ended_ = in.count(1) != 0;
    input_->restore(in);
  }

 private:
  void resume() {
    is_paused_ = false;
    crew_.wake_workers();
  }

  bool take(Element& element) {
    Item item = std::move(items_.front());
    items_.pop_front();
    give(std::move(item), element);
    return true;
  }

  bool read_here(Element& element) {
    const bool is_one = pace_.measure([&] { return input_->next(element); });
    has_ended_ = !is_one;
    return is_one;
  }

  void work() {
    Crew::Lock lock(crew_.mutex());
    for (;;) {
      crew_.wait_for_work(lock, [&] { return items_.size() < depth_ && !is_paused_; });
      if (crew_.is_cancelled()) return;
      is_busy_ = true;
      lock.unlock();
      const auto start = std::chrono::steady_clock::now();
      Item item;
      bool is_one = true;
      try {
        is_one = pull(*input_, item);
        if (is_one) hold(item.element, 0);
      } catch (...) {
        item.error = std::current_exception();
        item.element.clear();
      }
      const auto spent = std::chrono::steady_clock::now() - start;
      lock.lock();
      is_busy_ = false;
      if (is_one) items_.push_back(std::move(item));
      has_ended_ = !is_one;
      measure(std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count());
      crew_.wake_user();
      if (has_ended_ || is_cheap_) return;
    }
  }

  void measure(int64_t ns) {
    spent_ns_ += ns;
    if (++num_measured_ < kMeasuredElements) return;
    is_cheap_ = spent_ns_ < kMeasuredElements * kShortNs / 2;
    num_measured_ = spent_ns_ = 0;
    if (is_cheap_) pace_.restart();
  }

  const size_t depth_;
  Crew crew_;
  StageIteratorRef input_;
  Pace pace_;  // of elements on the user's thread
  // The mutex of the crew guards these, while there is a thread.
  std::deque<Item> items_;
  int64_t num_measured_ = 0, spent_ns_ = 0;
  bool has_ended_ = false, is_busy_ = false, is_paused_ = false, is_cheap_ = false;
};

class PrefetchIterator final : public NamedIterator {
 public:
  PrefetchIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope),
        buffer_(std::make_unique<ReadAhead>(state_, scope_)) {}
  bool next(Element& element) override { return buffer_->next(element); }

 private:
  void save_own(StateWriter& out) override { buffer_->save(out); }
  void restore_own(StateReader& in) override { buffer_->restore(in); }

  Abandoned<ReadAhead> buffer_;
};

// Whether the buffer is ever full depends on who is faster.
void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality();
  const int64_t depth = depth_of(state);
  plan.elements(state, "prefetched elements", input >= 0 ? std::min(input, depth) : depth,
                state.input(), false);
}

}  // namespace

extern const StageDef kPrefetch;
const StageDef kPrefetch = {.name = "Prefetch",
                            .num_operands = 1,
                            .infer = infer,
                            .iterate = make_iterator<PrefetchIterator>,
                            .plan = plan,
                            .largest = largest_in_order};

}  // namespace penstock::data
