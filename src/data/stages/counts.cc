// Take, Skip and Repeat: the first elements, the others, all of them again.
#include <algorithm>
#include <optional>

#include <penstock/base/checked.h>

#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

void infer(DatasetState& state) {
  check_scalar(state, 0, "count");
  state.spec = state.input().spec();
}

int64_t cardinality_of_take(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), count = state.number(0);
  if (count < 0 || input == kUnknown) return input;
  return input == kInfinite ? count : std::min(input, count);
}

int64_t cardinality_of_skip(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), count = state.number(0);
  if (input < 0) return input;
  return count < 0 ? 0 : std::max<int64_t>(input - count, 0);
}

int64_t cardinality_of_repeat(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), count = state.number(0);
  if (count == 0 || input == 0) return 0;
  if (count < 0 || input == kInfinite) return kInfinite;
  int64_t all;
  return input == kUnknown || !checked_mul(input, count, &all) ? kUnknown : all;
}

// What all three count: the elements, or the epochs, so far.
class CountingIterator : public InputIterator {
 public:
  CountingIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), count_(state_->number(0)) {}

 protected:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(done_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    done_ = in.count(INT64_MAX);
  }

  const int64_t count_;
  int64_t done_ = 0;
};

class TakeIterator final : public CountingIterator {
 public:
  using CountingIterator::CountingIterator;
  bool next(Element& element) override {
    if (count_ >= 0 && done_ >= count_) return false;
    ++done_;
    return input_->next(element);
  }
};

class SkipIterator final : public CountingIterator {
 public:
  using CountingIterator::CountingIterator;
  bool next(Element& element) override {
    if (count_ < 0) return false;
    while (done_ < count_) {
      scope_.step();
      ++done_;
      if (!input_->next(element)) {
        done_ = count_;
        return false;
      }
    }
    return input_->next(element);
  }
};

// The next epoch's iterator is made as soon as one ends, as TensorFlow does: a shuffled input then
// takes its next seeds.
class RepeatIterator final : public CountingIterator {
 public:
  using CountingIterator::CountingIterator;
  bool next(Element& element) override {
    while (count_ < 0 || done_ < count_) {
      if (input_->next(element)) {
        is_empty_ = false;
        return true;
      }
      ++done_;
      input_ = iterate(state_->input(), scope_);
      if (count_ < 0 && is_empty_) return false;  // of an empty input, for ever
      is_empty_ = true;
      scope_.step();
    }
    return false;
  }

 private:
  void save_own(StateWriter& out) override {
    CountingIterator::save_own(out);
    out.number(is_empty_);
  }
  void restore_own(StateReader& in) override {
    CountingIterator::restore_own(in);
    is_empty_ = in.count(1) != 0;
  }

  bool is_empty_ = true;  // no element in this epoch yet
};

}  // namespace

extern const StageDef kTake, kSkip, kRepeat;
const StageDef kTake = {.name = "Take",
                        .num_operands = 1,
                        .infer = infer,
                        .cardinality = cardinality_of_take,
                        .iterate = make_iterator<TakeIterator>,
                        .largest = largest_in_order};
const StageDef kSkip = {.name = "Skip",
                        .num_operands = 1,
                        .infer = infer,
                        .cardinality = cardinality_of_skip,
                        .iterate = make_iterator<SkipIterator>,
                        .largest = largest_in_any_order};
const StageDef kRepeat = {.name = "Repeat",
                          .num_operands = 1,
                          .infer = infer,
                          .cardinality = cardinality_of_repeat,
                          .iterate = make_iterator<RepeatIterator>,
                          .largest = largest_in_order};

}  // namespace penstock::data
