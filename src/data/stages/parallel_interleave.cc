// ParallelInterleave: Interleave, whose inputs threads read ahead of their turns. The order is the
// same.
#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/base/threads.h>

#include "data/crew.h"
#include "data/element.h"
#include "data/items.h"
#include "data/nested.h"
#include "data/plan_builder.h"

namespace penstock::data {
namespace {

enum { kCycleLength, kBlockLength, kParallelCalls };

constexpr int64_t kMostWorkers = 64;
// Elements that are read ahead from one input: a turn's, within these bounds.
constexpr int64_t kLeastAhead = 2, kMostAhead = 16;

void check_positive(const DatasetState& state, size_t operand, std::string_view what,
                    bool may_be_chosen) {
  check_scalar(state, operand, what);
  if (!is_known(state, operand)) return;
  const int64_t value = state.number(operand);
  if (value > 0 || (may_be_chosen && value == kAutotune)) return;
  throw InvalidArgumentError(
      cat("[ParallelInterleaveDataset] ", what, " must be greater than zero."));
}

void infer(DatasetState& state) {
  check_positive(state, kCycleLength, "cycle_length", true);
  check_positive(state, kBlockLength, "block_length", false);
  check_positive(state, kParallelCalls, "num_parallel_calls", true);
  if (is_known(state, kCycleLength) && is_known(state, kParallelCalls)) {
    const int64_t cycle = state.number(kCycleLength), calls = state.number(kParallelCalls);
    if (cycle != kAutotune && calls > cycle)
      throw InvalidArgumentError(cat(
          "[ParallelInterleaveDataset] If `cycle_length` is set to a fixed value, "
          "`num_parallel_calls` must be either `tf.data.AUTOTUNE` or a value less than or equal "
          "to `cycle_length`. However, `num_parallel_calls` is ",
          calls, " and `cycle_length` is ", cycle));
  }
  infer_nested(state);
}

int64_t cycle_of(const DatasetState& state) {
  const int64_t asked = state.number(kCycleLength);
  return asked == kAutotune ? std::max<int64_t>(num_threads(), state.number(kParallelCalls))
                            : asked;
}
int64_t workers_of(const DatasetState& state) {
  const int64_t asked = state.number(kParallelCalls);
  const int64_t count = asked == kAutotune ? std::max(num_threads(), 1) : asked;
  return std::clamp<int64_t>(count, 1, std::min(cycle_of(state), kMostWorkers));
}
int64_t ahead_of(const DatasetState& state) {
  return std::clamp(state.number(kBlockLength), kLeastAhead, kMostAhead);
}

// What a slot holds: elements of one input that are ready, and the input itself.
struct Lane {
  std::unique_ptr<NestedInput>
      input;  // null: `items` has the source's error, or the end is reached
  std::deque<Item> items;
  bool is_busy = false;     // a thread uses the input
  bool has_ended = false;   // after `items` nothing comes
  bool has_failed = false;  // its source element gave no dataset: the slot's turn goes on
};

// The lanes in the slots are those of Interleave. Lanes for the next source elements are made ahead;
// a slot that becomes free takes the first of them.
class Lanes {
 public:
  Lanes(StateRef state, const Scope& scope)
      : state_(std::move(state)),
        crew_(scope),
        function_(state_),
        source_(iterate(state_->input(), crew_.below())),
        block_(state_->number(kBlockLength)),
        ahead_(static_cast<size_t>(ahead_of(*state_))),
        most_next_(static_cast<size_t>(workers_of(*state_))),
        slots_(static_cast<size_t>(cycle_of(*state_))) {}
  ~Lanes() { crew_.stop(); }
  bool is_lost() const { return crew_.is_lost(); }

  bool next(Element& element) {
    if (has_finished_) return false;
    if (!crew_.is_working()) crew_.start(most_next_, [this] { work(); });
    Crew::Lock lock(crew_.mutex());
    if (!turn_to_item(lock)) {
      has_finished_ = true;
      return false;
    }
    Lane& lane = *slots_[at_];
    Item item = std::move(lane.items.front());
    lane.items.pop_front();
    if (item.error == nullptr && ++in_block_ == block_) pass_on();
    if (lane.items.size() <= ahead_ / 2) crew_.wake_worker();
    lock.unlock();
    give(std::move(item), element);
    return true;
  }

  void save(StateWriter& out) {
    Crew::Lock lock(crew_.mutex());
    is_paused_ = true;
    try {
      crew_.wait_for_result(lock, [&] { return num_busy_ == 0; });
      write(out);
    } catch (...) {
      resume();
      throw;
    }
    resume();
  }

  // Pre: no thread yet.
  void restore(StateReader& in) {
    source_->restore(in);
    index_ = in.count(INT64_MAX);
    at_ = static_cast<size_t>(in.count(static_cast<int64_t>(slots_.size()) - 1));
    in_block_ = in.count(block_ - 1);
    has_source_ended_ = in.count(1) != 0;
    has_finished_ = in.count(1) != 0;
    for (auto& slot : slots_) {
      if (in.count(1) != 0) slot = read_lane(in);
    }
    const int64_t count = in.count(INT32_MAX);
    for (int64_t i = 0; i < count; ++i) next_.push_back(read_lane(in));
  }

 private:
  void pass_on() {
    in_block_ = 0;
    if (++at_ == slots_.size()) at_ = 0;
  }

  // Moves to the slot whose turn it is and waits for an item there, or for its end; false at the end
  // of all.
  bool turn_to_item(Crew::Lock& lock) {
    for (size_t passed = 0; passed <= slots_.size();) {
      std::unique_ptr<Lane>& slot = slots_[at_];
      if (slot == nullptr && next_.empty() && !has_source_ended_)
        crew_.wait_for_result(lock, [&] { return !next_.empty() || has_source_ended_; });
      if (slot == nullptr && !next_.empty()) {
        slot = std::move(next_.front());
        next_.pop_front();
        crew_.wake_workers();
      }
      if (slot == nullptr) {  // the source has ended
        pass_on();
        ++passed;
        continue;
      }
      Lane& lane = *slot;
      crew_.wait_for_result(lock, [&] { return !lane.items.empty() || lane.has_ended; });
      if (!lane.items.empty()) return true;
      const bool has_failed = lane.has_failed;
      slot = nullptr;
      if (!has_failed) pass_on();
      passed = 0;
    }
    return false;
  }

  void work() {
    Crew::Lock lock(crew_.mutex());
    for (;;) {
      Lane* lane = nullptr;
      bool is_source = false;
      crew_.wait_for_work(lock, [&] {
        if (is_paused_) return false;
        lane = lane_to_read();
        is_source = lane == nullptr && wants_source();
        return lane != nullptr || is_source;
      });
      if (crew_.is_cancelled()) return;
      ++num_busy_;
      if (is_source) {
        read_source(lock);
      } else {
        read_lane(lock, *lane);
      }
      --num_busy_;
      if (is_paused_) crew_.wake_user();
    }
  }

  bool wants_source() const {
    return !is_source_busy_ && !has_source_ended_ && next_.size() < most_next_;
  }

  bool wants_reading(const Lane& lane, size_t most) const {
    return !lane.is_busy && !lane.has_ended && lane.items.size() < most;
  }

  // The lane whose turn comes first among those with too few items. If one is empty-handed and the
  // source is free, new lanes come after those that are needed now.
  Lane* lane_to_read() {
    for (const size_t most : {size_t{1}, ahead_}) {
      for (size_t i = 0; i < slots_.size(); ++i) {
        const size_t at = at_ + i < slots_.size() ? at_ + i : at_ + i - slots_.size();
        if (slots_[at] != nullptr && wants_reading(*slots_[at], most)) return slots_[at].get();
      }
      for (const auto& lane : next_) {
        if (wants_reading(*lane, most)) return lane.get();
      }
      if (most == 1 && wants_source()) return nullptr;
    }
    return nullptr;
  }

  // Makes a lane of the next source element.
  void read_source(Crew::Lock& lock) {
    is_source_busy_ = true;
    lock.unlock();
    Item item;
    auto lane = std::make_unique<Lane>();
    bool is_one = true;
    try {
      is_one = pull(*source_, item);
      if (is_one && item.error == nullptr)
        lane->input = std::make_unique<NestedInput>(std::move(item.element), index_++);
    } catch (...) {
      item.error = std::current_exception();
    }
    if (item.error != nullptr) {
      lane->has_ended = lane->has_failed = true;
      lane->items.push_back(std::move(item));
    }
    lock.lock();
    is_source_busy_ = false;
    if (is_one) {
      next_.push_back(std::move(lane));
    } else {
      has_source_ended_ = true;
    }
    crew_.wake_user();
    crew_.wake_worker();
  }

  // Reads one element of a lane's input.
  void read_lane(Crew::Lock& lock, Lane& lane) {
    lane.is_busy = true;
    lock.unlock();
    Item item;
    bool is_one = true, has_failed = false;
    try {
      if (!lane.input->is_open()) {
        has_failed = true;
        lane.input->open(function_, crew_.below());
        has_failed = false;
      }
      is_one = pull(lane.input->iterator(), item);
      if (is_one) hold(item.element, 0);
    } catch (...) {
      item.error = std::current_exception();
      item.element.clear();
    }
    std::unique_ptr<NestedInput> ended;
    lock.lock();
    lane.is_busy = false;
    if (is_one) lane.items.push_back(std::move(item));
    if (!is_one || has_failed) {
      lane.has_ended = true;
      lane.has_failed = has_failed;
      ended = std::move(lane.input);
    }
    if (slots_[at_].get() == &lane) crew_.wake_user();
    if (ended != nullptr) {
      lock.unlock();
      ended = nullptr;  // an iterator may take its time to end
      lock.lock();
    }
  }

  void resume() {
    is_paused_ = false;
    crew_.wake_workers();
  }

  void write(StateWriter& out) {
    source_->save(out);
    for (const int64_t number : {index_, static_cast<int64_t>(at_), in_block_,
                                 int64_t{has_source_ended_}, int64_t{has_finished_}})
      out.number(number);
    for (const auto& slot : slots_) {
      out.number(slot != nullptr);
      if (slot != nullptr) write_lane(out, *slot);
    }
    out.number(static_cast<int64_t>(next_.size()));
    for (const auto& lane : next_) write_lane(out, *lane);
  }

  static void write_lane(StateWriter& out, const Lane& lane) {
    out.number(lane.has_ended);
    out.number(lane.has_failed);
    out.number(static_cast<int64_t>(lane.items.size()));
    for (const Item& item : lane.items) save_item(out, item);
    if (!lane.has_ended) lane.input->save(out);
  }
  std::unique_ptr<Lane> read_lane(StateReader& in) {
    auto lane = std::make_unique<Lane>();
    lane->has_ended = in.count(1) != 0;
    lane->has_failed = in.count(1) != 0;
    const int64_t count = in.count(INT32_MAX);
    for (int64_t i = 0; i < count; ++i) restore_item(in, lane->items.emplace_back());
    if (!lane->has_ended) lane->input = NestedInput::restore(in, function_, crew_.below());
    return lane;
  }

  const StateRef state_;
  Crew crew_;
  const FunctionCall function_;
  StageIteratorRef source_;
  const int64_t block_;
  const size_t ahead_, most_next_;
  // The mutex of the crew guards these, while there are threads.
  std::vector<std::unique_ptr<Lane>> slots_;
  std::deque<std::unique_ptr<Lane>> next_;
  size_t at_ = 0;
  int64_t in_block_ = 0;
  int64_t index_ = 0;  // of the next source element; of the thread that reads the source
  int64_t num_busy_ = 0;
  bool is_source_busy_ = false, has_source_ended_ = false, has_finished_ = false;
  bool is_paused_ = false;
};

class ParallelInterleaveIterator final : public NamedIterator {
 public:
  ParallelInterleaveIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope), lanes_(std::make_unique<Lanes>(state_, scope_)) {}
  bool next(Element& element) override { return lanes_->next(element); }

 private:
  void save_own(StateWriter& out) override { lanes_->save(out); }
  void restore_own(StateReader& in) override { lanes_->restore(in); }

  Abandoned<Lanes> lanes_;
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t lanes = cycle_of(state) + workers_of(state);
  plan.elements(state, "sources", lanes, state.input().spec(), false);
  plan.elements(state, "elements read ahead", lanes * ahead_of(state), state.spec, false);
  plan.calls(state.functions[0], workers_of(state));
}

}  // namespace

extern const StageDef kParallelInterleave;
constexpr Setting kParallelInterleaveSettings[] = {{"deterministic", 1}};
const StageDef kParallelInterleave = {
    .name = "ParallelInterleave",
    .num_operands = 3,
    .num_functions = 1,
    .settings = kParallelInterleaveSettings,
    .infer = infer,
    .cardinality = [](const DatasetState&) -> int64_t { return kUnknown; },
    .iterate = make_iterator<ParallelInterleaveIterator>,
    .plan = plan};

}  // namespace penstock::data
