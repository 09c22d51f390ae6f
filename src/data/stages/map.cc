// Map: a function of every element. Filter: the elements for which a function is true.
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

void infer_map(DatasetState& state) { state.spec = state.functions[0].spec(); }

void plan_call(const DatasetState& state, PlanBuilder& plan) { plan.calls(state.functions[0], 1); }

class MapIterator final : public IndexedIterator {
 public:
  MapIterator(StateRef state, const Scope& scope)
      : IndexedIterator(std::move(state), scope), function_(state_) {}
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
  const FunctionCall function_;
  Element argument_;
};

class FilterIterator final : public IndexedIterator {
 public:
  FilterIterator(StateRef state, const Scope& scope)
      : IndexedIterator(std::move(state), scope), predicate_(state_) {}
  bool next(Element& element) override {
    while (input_->next(element)) {
      scope_.step();
      if (predicate_.test(element, index_++)) return true;
    }
    return false;
  }

 private:
  const FunctionCall predicate_;
};

}  // namespace

extern const StageDef kMap, kFilter;
const StageDef kMap = {.name = "Map",
                       .num_functions = 1,
                       .infer = infer_map,
                       .iterate = make_iterator<MapIterator>,
                       .plan = plan_call};
const StageDef kFilter = {.name = "Filter",
                          .num_functions = 1,
                          .infer = infer_predicate,
                          .cardinality =
                              [](const DatasetState& state) {
                                return state.input().cardinality() == 0 ? int64_t{0} : kUnknown;
                              },
                          .iterate = make_iterator<FilterIterator>,
                          .plan = plan_call,
                          .largest = largest_in_any_order};

}  // namespace penstock::data
