// FlatMap: the elements of the datasets that a function gives, one dataset after the other.
// Interleave: a few elements of each of several such datasets in turn.
#include <memory>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/base/threads.h>

#include "data/nested.h"
#include "data/plan_builder.h"

namespace penstock::data {
namespace {

enum { kCycleLength, kBlockLength };

void infer_interleave(DatasetState& state) {
  check_scalar(state, kCycleLength, "cycle_length");
  check_scalar(state, kBlockLength, "block_length");
  if (is_known(state, kCycleLength) && state.number(kCycleLength) != kAutotune &&
      state.number(kCycleLength) <= 0)
    throw InvalidArgumentError("[InterleaveDataset] cycle_length must be greater than zero.");
  if (is_known(state, kBlockLength) && state.number(kBlockLength) <= 0)
    throw InvalidArgumentError("[InterleaveDataset] block_length must be greater than zero.");
  infer_nested(state);
}

// The datasets are inputs in `cycle` slots, which take turns of `block` elements. An input that ends
// frees its slot, and the turn passes on; the slot takes the next element of the source when its
// turn comes again.
class InterleaveIterator : public InputIterator {
 public:
  InterleaveIterator(StateRef state, const Scope& scope)
      : InterleaveIterator(state, scope, cycle_of(*state), state->number(kBlockLength)) {}

  bool next(Element& element) override {
    for (;;) {
      scope_.step();
      std::unique_ptr<NestedInput>& slot = slots_[at_];
      if (slot != nullptr) {
        if (slot->next(element)) {
          if (++in_block_ == block_) pass_on();
          return true;
        }
        slot = nullptr;
        --num_open_;
        pass_on();
      } else if (!has_ended_) {
        fill(slot, element);
      } else if (num_open_ > 0) {
        pass_on();
      } else {
        return false;
      }
    }
  }

 protected:
  InterleaveIterator(StateRef state, const Scope& scope, size_t cycle, int64_t block)
      : InputIterator(std::move(state), scope), function_(state_), block_(block), slots_(cycle) {}

 private:
  static size_t cycle_of(const DatasetState& state) {
    const int64_t asked = state.number(kCycleLength);
    return static_cast<size_t>(asked == kAutotune ? num_threads() : asked);
  }

  void pass_on() {
    in_block_ = 0;
    if (++at_ == slots_.size()) at_ = 0;
  }

  void fill(std::unique_ptr<NestedInput>& slot, Element& element) {
    has_ended_ = !input_->next(element);
    if (has_ended_) return;
    auto input = std::make_unique<NestedInput>(std::move(element), index_++);
    input->open(function_, scope_);
    slot = std::move(input);
    ++num_open_;
  }

  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    for (const int64_t number : {index_, static_cast<int64_t>(at_), in_block_, int64_t{has_ended_}})
      out.number(number);
    for (const auto& slot : slots_) {
      out.number(slot != nullptr);
      if (slot != nullptr) slot->save(out);
    }
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    index_ = in.count(INT64_MAX);
    at_ = static_cast<size_t>(in.count(static_cast<int64_t>(slots_.size()) - 1));
    in_block_ = in.count(block_ - 1);
    has_ended_ = in.count(1) != 0;
    for (auto& slot : slots_) {
      if (in.count(1) == 0) continue;
      slot = NestedInput::restore(in, function_, scope_);
      ++num_open_;
    }
  }

  const FunctionCall function_;
  const int64_t block_;
  std::vector<std::unique_ptr<NestedInput>> slots_;
  size_t at_ = 0, num_open_ = 0;
  int64_t in_block_ = 0;  // given in this turn
  int64_t index_ = 0;     // of the next source element
  bool has_ended_ = false;
};

class FlatMapIterator final : public InterleaveIterator {
 public:
  FlatMapIterator(StateRef state, const Scope& scope)
      : InterleaveIterator(std::move(state), scope, 1, INT64_MAX) {}
};

// The source elements of the open inputs are kept, for positions that are saved.
void plan_flat_map(const DatasetState& state, PlanBuilder& plan) {
  plan.elements(state, "source", 1, state.input().spec(), false);
  plan.calls(state.functions[0], 1);
}
void plan_interleave(const DatasetState& state, PlanBuilder& plan) {
  const int64_t asked = state.number(kCycleLength);
  plan.elements(state, "sources", asked == kAutotune ? num_threads() : asked, state.input().spec(),
                false);
  plan.calls(state.functions[0], 1);
}

int64_t unknown(const DatasetState&) { return kUnknown; }

}  // namespace

extern const StageDef kFlatMap, kInterleave;
const StageDef kFlatMap = {.name = "FlatMap",
                           .num_functions = 1,
                           .infer = infer_nested,
                           .cardinality = unknown,
                           .iterate = make_iterator<FlatMapIterator>,
                           .plan = plan_flat_map};
const StageDef kInterleave = {.name = "Interleave",
                              .num_operands = 2,
                              .num_functions = 1,
                              .infer = infer_interleave,
                              .cardinality = unknown,
                              .iterate = make_iterator<InterleaveIterator>,
                              .plan = plan_interleave};

}  // namespace penstock::data
