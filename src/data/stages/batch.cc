// Batch: several elements as rows of one. ParallelBatch: the same, with a number of parallel calls:
// rows are copied faster than threads could share the work.
#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/interrupts.h>

#include "data/batch_builder.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kDropRemainder };
enum { kSize, kParallelCalls };

void infer(DatasetState& state) {
  check_scalar(state, kSize, "batch_size");
  const bool is_sized = is_known(state, kSize);
  if (is_sized && state.number(kSize) <= 0)
    throw InvalidArgumentError("[BatchDataset] Batch size must be greater than zero.");
  const bool drops = state.settings[kDropRemainder] != 0;
  state.spec = batched(state.input().spec(), is_sized && drops ? state.number(kSize) : kUnknownDim);
}

void infer_parallel(DatasetState& state) {
  infer(state);
  check_scalar(state, kParallelCalls, "num_parallel_calls");
  if (is_known(state, kParallelCalls) && state.number(kParallelCalls) != kAutotune &&
      state.number(kParallelCalls) <= 0)
    throw InvalidArgumentError(
        "[ParallelBatchDataset] num_parallel_calls must be greater than zero.");
}

int64_t cardinality(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), size = state.number(kSize);
  if (input < 0) return input;
  return input / size + (state.settings[kDropRemainder] == 0 && input % size != 0);
}

class BatchIterator final : public InputIterator {
 public:
  BatchIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), builder_(state_->number(kSize)) {}

  bool next(Element& element) override {
    builder_.clear();
    int64_t read = 0;
    try {
      while (!builder_.is_full()) {
        if (has_rows_) {
          const int64_t added =
              input_->next_rows(builder_, state_->number(kSize) - builder_.size());
          if (added == 0) break;
          has_rows_ = added != kNoRows;
        } else {
          if (!input_->next(element)) break;
          ++read;
          builder_.add(element);
        }
      }
    } catch (const std::exception& error) {
      if (is_interrupt(error)) throw;
      drop_rest(std::max(read, builder_.size() + 1), element);
      throw;
    }
    if (builder_.size() == 0 || (!builder_.is_full() && state_->settings[kDropRemainder] != 0))
      return false;
    element = builder_.take();
    return true;
  }

 private:
  // A batch that fails is lost as a whole, as TensorFlow's is.
  void drop_rest(int64_t read, Element& element) {
    for (; read < state_->number(kSize); ++read) {
      try {
        if (!input_->next(element)) return;
      } catch (const std::exception& error) {  // it is lost too
        if (is_interrupt(error)) throw;
      }
    }
  }

  BatchBuilder builder_;
  bool has_rows_ = true;  // the input may add rows itself
};

// A batch while it is filled.
void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality();
  plan.elements(state, "a batch", input == 0 ? 0 : state.number(kSize), state.input(),
                input != kUnknown);
}

Largest largest(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), size = state.number(kSize);
  const Largest rows = largest_of(state.input());
  if (input >= 0 && input < size)
    return {batched(rows.spec, input), rows.leading >= input ? INT64_MAX : 0};
  int64_t leading = 0;  // full batches of the largest rows
  if (input == kInfinite) {
    leading = rows.leading == INT64_MAX ? INT64_MAX : rows.leading / size;
  } else if (input >= 0) {
    const bool is_every = rows.leading >= input && input % size == 0;
    leading = is_every ? INT64_MAX : std::min(rows.leading, input) / size;
  }
  return {batched(rows.spec, size), leading};
}

}  // namespace

extern const StageDef kBatch, kParallelBatch;
constexpr Setting kBatchSettings[] = {{"drop_remainder", 0}};
const StageDef kBatch = {.name = "Batch",
                         .num_operands = 1,
                         .settings = kBatchSettings,
                         .infer = infer,
                         .cardinality = cardinality,
                         .iterate = make_iterator<BatchIterator>,
                         .plan = plan,
                         .largest = largest};
const StageDef kParallelBatch = {.name = "ParallelBatch",
                                 .num_operands = 2,
                                 .settings = kBatchSettings,
                                 .infer = infer_parallel,
                                 .cardinality = cardinality,
                                 .iterate = make_iterator<BatchIterator>,
                                 .plan = plan,
                                 .largest = largest};

}  // namespace penstock::data
