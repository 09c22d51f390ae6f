// Shuffle: elements in random order, drawn from a buffer. ShuffleAndRepeat: the same over several
// epochs with one buffer, which reads ahead into the next epoch.
#include <algorithm>
#include <deque>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>

#include "data/element_store.h"
#include "data/plan_builder.h"
#include "data/seeds.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum Operand { kBufferSize, kSeed, kSeed2, kCount };
enum { kReshuffle };

void infer(DatasetState& state) {
  check_scalar(state, kBufferSize, "buffer_size");
  check_scalar(state, kSeed, "seed");
  check_scalar(state, kSeed2, "seed2");
  if (is_known(state, kBufferSize) && state.number(kBufferSize) < 1 &&
      state.number(kBufferSize) != kUnknown)
    throw InvalidArgumentError(
        "[ShuffleDataset] buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  state.spec = state.input().spec();
}

void infer_repeated(DatasetState& state) {
  infer(state);
  check_scalar(state, kCount, "count");
  if (is_known(state, kCount) && state.number(kCount) < 1 && state.number(kCount) != kInfinite)
    throw InvalidArgumentError(
        "[ShuffleAndRepeatDataset] count must be greater than zero or equal to -1.");
}

bool repeats(const DatasetState& state) { return state.stage->num_operands > kCount; }
int64_t epochs_of(const DatasetState& state) { return repeats(state) ? state.number(kCount) : 1; }

int64_t cardinality_repeated(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), count = state.number(kCount);
  if (input == 0) return 0;
  if (count < 0 || input == kInfinite) return kInfinite;
  int64_t all;
  return input == kUnknown || !checked_mul(input, count, &all) ? kUnknown : all;
}

std::shared_ptr<Shared> share(const DatasetState& state) {
  return share_seeds(state, kSeed, state.settings[kReshuffle] != 0);
}

// The most elements in the buffer: no more than an epoch has. INT64_MAX: all of an unknown number.
int64_t capacity_of(const DatasetState& state) {
  const int64_t asked = state.number(kBufferSize), input = state.input().cardinality();
  const int64_t most = asked == kUnknown ? INT64_MAX : asked;
  return input >= 0 ? std::clamp<int64_t>(input, 1, most) : most;
}

// The buffer is a ring of slots. The elements of an epoch have consecutive positions; position p is
// in slot p % ring_. An element is drawn from the oldest epoch; the first one of that epoch then moves
// into its place.
class ShuffleIterator final : public NamedIterator {
 public:
  ShuffleIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope),
        capacity_(capacity_of(*state_)),
        count_(epochs_of(*state_)),
        words_(seeds_of(*state_)),
        input_(iterate(state_->input(), scope)),
        ring_(capacity_),
        store_(make_store()) {}

  bool next(Element& element) override {
    fill(element);
    if (held_ == 0) {
      element.clear();
      return false;
    }
    while (epochs_.front().size() == 0) epochs_.pop_front();
    Epoch& epoch = epochs_.front();
    for (; epoch.renewals > 0; --epoch.renewals) words_.renew();
    const auto offset = static_cast<int64_t>(words_->peek() % static_cast<uint64_t>(epoch.size()));
    store_->take((epoch.start + offset) % ring_, epoch.start % ring_, element);
    words_->next();
    ++epoch.start;
    --held_;
    return true;
  }

 private:
  // Positions of elements that are in the buffer.
  struct Epoch {
    int64_t start = 0, end = 0;
    int64_t renewals = 0;  // of the seeds, before the first element is drawn
    int64_t size() const { return end - start; }
  };

  std::unique_ptr<ElementStore> make_store() const {
    const bool is_counted = state_->input().cardinality() != kUnknown && ring_ != INT64_MAX;
    return std::make_unique<ElementStore>(state_->spec, "shuffle", is_counted ? ring_ : kUnknown);
  }

  // Two epochs at most are in the buffer. An endless buffer does not read ahead.
  bool has_room() const {
    if (input_ == nullptr) return false;
    if (held_ == 0) return true;
    const auto oldest =
        std::ranges::find_if(epochs_, [](const Epoch& epoch) { return epoch.size() > 0; });
    return held_ < capacity_ && epochs_.end() - oldest <= (capacity_ == INT64_MAX ? 1 : 2);
  }

  void fill(Element& element) {
    if (held_ == 0) {
      for (Epoch& epoch : epochs_) epoch.start = epoch.end = 0;
    }
    while (has_room()) {
      scope_.step();
      if (!input_->next(element)) {
        end_epoch();
        continue;
      }
      is_empty_ = false;
      Epoch& last = epochs_.back();
      store_->put(last.end % ring_, element);
      element.clear();
      ++last.end;
      ++held_;
    }
  }

  void end_epoch() {
    ++epoch_;
    if (count_ < 0 ? is_empty_ : epoch_ >= count_) {
      input_.reset();
      store_->finish(std::min(ring_, epochs_.back().end));
      return;
    }
    input_ = iterate(state_->input(), scope_);
    const int64_t end = epochs_.back().end;
    if (!is_empty_) epochs_.push_back({end, end});
    ++epochs_.back().renewals;
    is_empty_ = true;
  }

  void save_own(StateWriter& out) override {
    words_.save(out);
    out.number(epoch_);
    out.number(is_empty_);
    out.number(static_cast<int64_t>(epochs_.size()));
    Element element;
    for (const Epoch& epoch : epochs_) {
      out.number(epoch.renewals);
      out.number(epoch.size());
      for (int64_t i = epoch.start; i < epoch.end; ++i) {
        scope_.step();
        store_->peek(i % ring_, element);
        out.element(element);
      }
    }
    out.number(input_ == nullptr);
    if (input_ != nullptr) input_->save(out);
  }

  void restore_own(StateReader& in) override {
    words_.restore(in);
    epoch_ = in.count(INT64_MAX);
    is_empty_ = in.count(1) != 0;
    epochs_.clear();
    held_ = 0;
    // The buffer may have been larger: what it held is kept.
    ring_ = INT64_MAX;
    store_ = std::make_unique<ElementStore>(state_->spec, "shuffle", kUnknown);
    Element element;
    const int64_t epochs = in.count(INT32_MAX);
    for (int64_t i = 0; i < epochs; ++i) {
      epochs_.push_back({held_, held_, in.count(INT64_MAX)});
      const int64_t size = in.count(INT64_MAX);
      for (int64_t j = 0; j < size; ++j) {
        scope_.step();
        in.element(element);
        store_->put(held_++, element);
        element.clear();
        ++epochs_.back().end;
      }
    }
    if (epochs_.empty()) epochs_.emplace_back();
    ring_ = std::max(capacity_, held_);
    if (in.count(1) != 0) {
      input_.reset();
      store_->finish(held_);
    } else {
      input_->restore(in);
    }
  }

  const int64_t capacity_;
  const int64_t count_;  // of epochs
  IteratorWords words_;
  StageIteratorRef input_;  // null once all epochs have been read
  int64_t ring_;            // slots
  std::unique_ptr<ElementStore> store_;
  std::deque<Epoch> epochs_ = {Epoch()};
  int64_t held_ = 0;
  int64_t epoch_ = 0;     // the number of the one that is read
  bool is_empty_ = true;  // no element of it yet
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t capacity = capacity_of(state);
  const int64_t input = state.input().cardinality();
  const int64_t most = capacity == INT64_MAX ? kUnknown : capacity;
  plan.stored(state, "a shuffle buffer", PlanBuilder::Use::kDrawn, input == 0 ? 0 : most,
              state.input(), input != kUnknown);
}

}  // namespace

extern const StageDef kShuffle, kShuffleAndRepeat;
constexpr Setting kShuffleSettings[] = {{"reshuffle", 1}};
const StageDef kShuffle = {.name = "Shuffle",
                           .num_operands = 3,
                           .settings = kShuffleSettings,
                           .infer = infer,
                           .share = share,
                           .iterate = make_iterator<ShuffleIterator>,
                           .plan = plan,
                           .largest = largest_in_any_order};
const StageDef kShuffleAndRepeat = {.name = "ShuffleAndRepeat",
                                    .num_operands = 4,
                                    .settings = kShuffleSettings,
                                    .infer = infer_repeated,
                                    .cardinality = cardinality_repeated,
                                    .share = share,
                                    .iterate = make_iterator<ShuffleIterator>,
                                    .plan = plan,
                                    .largest = largest_in_any_order};

}  // namespace penstock::data
