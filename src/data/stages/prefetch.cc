// Prefetch: a thread computes elements ahead of their use.
#include <algorithm>
#include <deque>
#include <exception>
#include <optional>

#include <penstock/base/error.h>

#include "data/element.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"
#include "data/worker.h"

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

struct Item {
  Element element;
  std::exception_ptr error;
};

class PrefetchIterator final : public NamedIterator {
 public:
  PrefetchIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope),
        depth_(static_cast<size_t>(depth_of(*state_))),
        below_(scope_.below(&cancellation_)),
        input_(iterate(state_->input(), below_)) {}

  ~PrefetchIterator() override {
    cancellation_->cancel();
    if (!worker_.has_value() || worker_->is_lost()) return;
    {
      const std::lock_guard lock(mutex_);
    }
    changed_.notify_all();
    worker_.reset();
  }

  bool next(Element& element) override {
    if (depth_ == 0) return input_->next(element);
    if (!worker_.has_value()) worker_.emplace([this] { work(); });
    if (worker_->is_lost()) fail_forked();
    std::unique_lock lock(mutex_);
    scope_.wait(lock, changed_, [&] { return !items_.empty() || has_ended_; });
    if (items_.empty()) return false;
    Item item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    changed_.notify_all();
    if (item.error != nullptr) std::rethrow_exception(item.error);
    element = std::move(item.element);
    return true;
  }

 private:
  bool has_room() const { return items_.size() < depth_ && !is_paused_; }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      is_idle_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return has_room() || cancellation_->is_cancelled(); });
      if (cancellation_->is_cancelled()) return;
      is_idle_ = false;
      lock.unlock();
      Item item;
      bool is_one = true;
      try {
        is_one = input_->next(item.element);
        if (is_one) hold(item.element, 0);
      } catch (...) {
        item.error = std::current_exception();
        item.element.clear();
      }
      lock.lock();
      if (is_one) items_.push_back(std::move(item));
      has_ended_ = !is_one;
      if (has_ended_) is_idle_ = true;
      changed_.notify_all();
      if (has_ended_) return;
    }
  }

  // Waits until the thread is between two elements, and keeps it there.
  template <typename Body>
  void while_paused(Body body) {
    std::unique_lock lock(mutex_);
    is_paused_ = true;
    scope_.wait(lock, changed_, [&] { return !worker_.has_value() || is_idle_; });
    body();
    is_paused_ = false;
    lock.unlock();
    changed_.notify_all();
  }

  void save_own(StateWriter& out) override {
    while_paused([&] {
      out.number(static_cast<int64_t>(items_.size()));
      for (const Item& item : items_) {
        if (item.error != nullptr) std::rethrow_exception(item.error);
        out.element(item.element);
      }
      out.number(has_ended_);
      input_->save(out);
    });
  }
  // Pre: no thread yet.
  void restore_own(StateReader& in) override {
    const int64_t count = in.count(INT32_MAX);
    for (int64_t i = 0; i < count; ++i) {
      Item& item = items_.emplace_back();
      in.element(item.element);
      hold(item.element, 0);
    }
    has_ended_ = in.count(1) != 0;
    input_->restore(in);
  }

  const size_t depth_;
  std::shared_ptr<Cancellation> cancellation_;
  Scope below_;
  StageIteratorRef input_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool has_ended_ = false, is_idle_ = true, is_paused_ = false;
  std::optional<Worker> worker_;  // from the first element on
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality();
  const int64_t depth = depth_of(state);
  plan.elements(state, "prefetched elements", input >= 0 ? std::min(input, depth) : depth,
                state.input(), input != kUnknown);
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
