// Map: a function of every element. Filter: the elements for which a function is true. FlatMap: the
// elements of the datasets that a function gives.
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

void infer_map(DatasetState& state) { state.spec = state.functions[0].spec(); }

void plan_call(const DatasetState& state, PlanBuilder& plan) { plan.calls(state.functions[0], 1); }

class MapIterator final : public InputIterator {
 public:
  MapIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), function_(state_) {}
  bool next(Element& element) override {
    if (!input_->next(argument_)) {
      argument_.clear();
      return false;
    }
    function_(argument_, index_++, element);
    // A number stays, for the input to reuse its memory.
    if (argument_.size() != 1 || argument_[0].tensor.rank() != 0 ||
        argument_[0].tensor.dtype() != DType::kInt64)
      argument_.clear();
    return true;
  }

 private:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(index_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    index_ = in.count(INT64_MAX);
  }

  const FunctionCall function_;
  Element argument_;
  int64_t index_ = 0;
};

class FilterIterator final : public InputIterator {
 public:
  FilterIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), predicate_(state_) {}
  bool next(Element& element) override {
    while (input_->next(element)) {
      scope_.step();
      if (predicate_.test(element, index_++)) return true;
    }
    return false;
  }

 private:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(index_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    index_ = in.count(INT64_MAX);
  }

  const FunctionCall predicate_;
  int64_t index_ = 0;
};

void infer_filter(DatasetState& state) {
  const Spec& result = state.functions[0].spec();
  if (result.size() != 1 || result[0].dtype != DType::kBool || !fits(result[0].shape, Shape{}))
    throw InvalidArgumentError(cat("[FilterDataset] a predicate gives one bool, not ", result));
  state.spec = state.input().spec();
}

}  // namespace

extern const StageDef kMap, kFilter;
const StageDef kMap = {.name = "Map",
                       .num_functions = 1,
                       .infer = infer_map,
                       .iterate = make_iterator<MapIterator>,
                       .plan = plan_call};
const StageDef kFilter = {.name = "Filter",
                          .num_functions = 1,
                          .infer = infer_filter,
                          .cardinality =
                              [](const DatasetState& state) {
                                return state.input().cardinality() == 0 ? int64_t{0} : kUnknown;
                              },
                          .iterate = make_iterator<FilterIterator>,
                          .plan = plan_call,
                          .largest = largest_in_any_order};

}  // namespace penstock::data
