// TakeWhile, Unique, Shard, Concatenate, IgnoreErrors and AssertCardinality: which elements go on.
#include <cstdio>
#include <functional>
#include <string_view>
#include <unordered_set>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/exec/interrupts.h>

#include "data/element.h"
#include "data/items.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

int64_t unknown(const DatasetState&) { return kUnknown; }

// TakeWhile.

class TakeWhileIterator final : public IndexedIterator {
 public:
  TakeWhileIterator(StateRef state, const Scope& scope)
      : IndexedIterator(std::move(state), scope), predicate_(state_) {}
  bool next(Element& element) override {
    if (has_ended_ || !input_->next(element)) return false;
    has_ended_ = !predicate_.test(element, index_++);
    return !has_ended_;
  }

 private:
  void save_own(StateWriter& out) override {
    IndexedIterator::save_own(out);
    out.number(has_ended_);
  }
  void restore_own(StateReader& in) override {
    IndexedIterator::restore_own(in);
    has_ended_ = in.count(1) != 0;
  }

  const FunctionCall predicate_;
  bool has_ended_ = false;
};

// Unique.

void infer_unique(DatasetState& state) {
  const Spec& spec = state.input().spec();
  if (spec.size() != 1 || spec[0].is_dataset())
    throw TypeError("`tf.data.Dataset.unique` does not support elements of several components");
  const DType dtype = spec[0].dtype;
  if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kString)
    throw TypeError(cat("`tf.data.Dataset.unique` does not support type ", dtype,
                        " -- only `tf.int32`, `tf.int64`, and `tf.string` are supported."));
  state.spec = spec;
}

struct ByContent {
  size_t operator()(const Tensor& tensor) const {
    size_t hash = 0;
    const auto add = [&](std::string_view bytes) {
      hash = hash * 31 + std::hash<std::string_view>()(bytes);
    };
    if (tensor.dtype() == DType::kString) {
      for (int64_t i = 0; i < tensor.num_elements(); ++i) add(tensor.string_at(i));
    } else {
      add({static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.num_bytes())});
    }
    return hash;
  }
  bool operator()(const Tensor& a, const Tensor& b) const {
    if (a.shape() != b.shape()) return false;
    if (a.dtype() != DType::kString)
      return std::string_view(static_cast<const char*>(a.raw()),
                              static_cast<size_t>(a.num_bytes())) ==
             std::string_view(static_cast<const char*>(b.raw()),
                              static_cast<size_t>(b.num_bytes()));
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      if (a.string_at(i) != b.string_at(i)) return false;
    }
    return true;
  }
};

class UniqueIterator final : public InputIterator {
 public:
  using InputIterator::InputIterator;
  bool next(Element& element) override {
    while (input_->next(element)) {
      scope_.step();
      if (seen_.contains(element[0].tensor)) continue;
      Element kept = {Component(element[0].tensor.copy(Tag::kDataset))};
      seen_.insert(std::move(kept[0].tensor));
      return true;
    }
    return false;
  }

 private:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(static_cast<int64_t>(seen_.size()));
    for (const Tensor& tensor : seen_) out.tensor(tensor);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    const int64_t count = in.count(INT64_MAX);
    for (int64_t i = 0; i < count; ++i) {
      Element kept = {Component(in.tensor())};
      hold(kept, 0);
      seen_.insert(std::move(kept[0].tensor));
    }
  }

  std::unordered_set<Tensor, ByContent, ByContent> seen_;
};

void plan_unique(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality();
  plan.elements(state, "elements seen", input, state.spec, false);
}

// Shard.

enum { kNumShards, kIndex };

void infer_shard(DatasetState& state) {
  check_scalar(state, kNumShards, "num_shards");
  check_scalar(state, kIndex, "index");
  state.spec = state.input().spec();
  if (!is_known(state, kNumShards)) return;
  const int64_t shards = state.number(kNumShards);
  constexpr int64_t kShardHint = -1;
  if (shards == kShardHint)
    throw FailedPreconditionError(
        "[ShardDataset] `tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
        "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
        "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
        "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.");
  if (shards <= 0)
    throw InvalidArgumentError(
        cat("[ShardDataset] Number of shards must be greater than zero (currently num_shards = ",
            shards, ")."));
  if (!is_known(state, kIndex)) return;
  const int64_t index = state.number(kIndex);
  if (index < 0 || index >= shards)
    throw InvalidArgumentError(cat("[ShardDataset] Index must be between 0 and ", shards - 1,
                                   " (currently index = ", index, ")."));
}

int64_t cardinality_of_shard(const DatasetState& state) {
  const int64_t input = state.input().cardinality();
  if (input < 0) return input;
  const int64_t shards = state.number(kNumShards), index = state.number(kIndex);
  return input / shards + (index < input % shards ? 1 : 0);
}

class ShardIterator final : public InputIterator {
 public:
  ShardIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope),
        shards_(state_->number(kNumShards)),
        index_(state_->number(kIndex)) {}
  bool next(Element& element) override {
    while (input_->next(element)) {
      const bool is_mine = at_ == index_;
      at_ = at_ + 1 == shards_ ? 0 : at_ + 1;
      if (is_mine) return true;
      scope_.step();
    }
    return false;
  }

 private:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(at_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    at_ = in.count(shards_ - 1);
  }

  const int64_t shards_, index_;
  int64_t at_ = 0;  // of the next element, modulo the number of shards
};

// Concatenate.

ComponentSpec most_general(const ComponentSpec& a, const ComponentSpec& b) {
  ComponentSpec both = a;
  if (!a.is_dataset()) both.shape = data::most_general(a.shape, b.shape);
  return both;
}

void infer_concatenate(DatasetState& state) {
  state.spec = state.input().spec();
  for (const Dataset& input : state.inputs) {
    const Spec& spec = input.spec();
    bool is_alike = spec.size() == state.spec.size();
    for (size_t i = 0; i < spec.size() && is_alike; ++i)
      is_alike = spec[i].dtype == state.spec[i].dtype &&
                 spec[i].is_dataset() == state.spec[i].is_dataset();
    if (!is_alike)
      throw TypeError(cat("Incompatible dataset elements: ", state.spec, " vs. ", spec));
    for (size_t i = 0; i < spec.size(); ++i) state.spec[i] = most_general(state.spec[i], spec[i]);
  }
}

int64_t cardinality_of_concatenate(const DatasetState& state) {
  int64_t sum = 0;
  bool is_unknown = false;
  for (const Dataset& input : state.inputs) {
    const int64_t count = input.cardinality();
    if (count == kInfinite) return kInfinite;
    is_unknown = is_unknown || count == kUnknown || !checked_add(sum, count, &sum);
  }
  return is_unknown ? kUnknown : sum;
}

class ConcatenateIterator final : public NamedIterator {
 public:
  ConcatenateIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope), input_(iterate(state_->input(), scope)) {}
  bool next(Element& element) override {
    while (input_ != nullptr) {
      if (input_->next(element)) return true;
      open(at_ + 1);
    }
    return false;
  }

 private:
  // An iterator is made when the one before it has ended.
  void open(size_t i) {
    input_ = nullptr;
    at_ = i;
    if (at_ < state_->inputs.size()) input_ = iterate(state_->input(at_), scope_);
  }

  void save_own(StateWriter& out) override {
    out.number(static_cast<int64_t>(at_));
    if (input_ != nullptr) input_->save(out);
  }
  void restore_own(StateReader& in) override {
    const auto at = static_cast<size_t>(in.count(static_cast<int64_t>(state_->inputs.size())));
    if (at != at_) open(at);
    if (input_ != nullptr) input_->restore(in);
  }

  size_t at_ = 0;
  StageIteratorRef input_;  // null after the last one
};

// IgnoreErrors.

enum { kLogWarning };

class IgnoreErrorsIterator final : public InputIterator {
 public:
  using InputIterator::InputIterator;
  bool next(Element& element) override {
    for (;;) {
      scope_.step();
      try {
        return input_->next(element);
      } catch (const std::exception& error) {
        if (is_interrupt(error)) throw;
        if (state_->settings[kLogWarning] != 0)
          std::fprintf(stderr, "Error raised with error message %s\n", error.what());
      }
    }
  }
};

// AssertCardinality.

void infer_assert(DatasetState& state) {
  check_scalar(state, 0, "cardinality");
  state.spec = state.input().spec();
}

class AssertIterator final : public InputIterator {
 public:
  AssertIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), expected_(state_->number(0)) {}
  bool next(Element& element) override {
    if (!input_->next(element)) {
      if (expected_ != kUnknown && given_ != expected_) fail("only ");
      return false;
    }
    ++given_;
    if (expected_ >= 0 && given_ > expected_) fail("at least ");
    return true;
  }

 private:
  static std::string elements(int64_t count) {
    return cat(count, count == 1 ? " element" : " elements");
  }
  [[noreturn]] void fail(std::string_view how) const {
    throw FailedPreconditionError(
        cat("[AssertCardinalityDataset] Input dataset was expected to contain ",
            expected_ == kInfinite ? std::string("an infinite number of elements")
                                   : elements(expected_),
            " but contained ", how, elements(given_), "."));
  }
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(given_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    given_ = in.count(INT64_MAX);
  }

  const int64_t expected_;
  int64_t given_ = 0;
};

}  // namespace

extern const StageDef kTakeWhile, kUnique, kShard, kConcatenate, kIgnoreErrors, kAssertCardinality;
const StageDef kTakeWhile = {.name = "TakeWhile",
                             .num_functions = 1,
                             .infer = infer_predicate,
                             .cardinality = unknown,
                             .iterate = make_iterator<TakeWhileIterator>,
                             .plan = [](const DatasetState& state, PlanBuilder& plan) {
                               plan.calls(state.functions[0], 1);
                             }};
const StageDef kUnique = {.name = "Unique",
                          .infer = infer_unique,
                          .cardinality = unknown,
                          .iterate = make_iterator<UniqueIterator>,
                          .plan = plan_unique};
const StageDef kShard = {.name = "Shard",
                         .num_operands = 2,
                         .infer = infer_shard,
                         .cardinality = cardinality_of_shard,
                         .iterate = make_iterator<ShardIterator>};
const StageDef kConcatenate = {.name = "Concatenate",
                               .num_inputs = kAnyNumber,
                               .infer = infer_concatenate,
                               .cardinality = cardinality_of_concatenate,
                               .iterate = make_iterator<ConcatenateIterator>};
constexpr Setting kIgnoreErrorsSettings[] = {{"log_warning", 0}};
const StageDef kIgnoreErrors = {.name = "IgnoreErrors",
                                .settings = kIgnoreErrorsSettings,
                                .cardinality = unknown,
                                .iterate = make_iterator<IgnoreErrorsIterator>};
const StageDef kAssertCardinality = {
    .name = "AssertCardinality",
    .num_operands = 1,
    .infer = infer_assert,
    .cardinality = [](const DatasetState& state) { return state.number(0); },
    .iterate = make_iterator<AssertIterator>};

}  // namespace penstock::data
