// Scan: a function of a state and an element gives the next state and an element.
#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/items.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

size_t num_states(const DatasetState& state) {
  return state.operands.size() - state.functions[0].captures().size();
}

void infer(DatasetState& state) {
  const Spec& results = state.functions[0].spec();
  const size_t states = num_states(state);
  if (results.size() <= states)
    throw InvalidArgumentError(cat(
        "[ScanDataset] `scan_func` should return a new state and an output, but gives ", results));
  for (size_t i = 0; i < states; ++i) {
    if (results[i].is_dataset() || results[i].dtype != state.operands[i].dtype())
      throw TypeError(
          cat("Invalid `scan_func`. The element types for the new state must match the "
              "initial state. Expected ",
              state.operands[i].dtype(), ", got ", Spec{results[i]}, "."));
  }
  state.spec = Spec(results.begin() + static_cast<ptrdiff_t>(states), results.end());
}

class ScanIterator final : public InputIterator {
 public:
  ScanIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), function_(state_) {
    for (size_t i = 0; i < num_states(*state_); ++i) states_.push_back(state_->operands[i]);
  }

  bool next(Element& element) override {
    if (!input_->next(element)) return false;
    Element arguments = states_, results;
    for (Component& component : element) arguments.push_back(std::move(component));
    function_(arguments, index_++, results);
    element.clear();
    for (size_t i = 0; i < results.size(); ++i)
      (i < states_.size() ? states_[i] : element.emplace_back()) = std::move(results[i]);
    // The output may be the state itself: then it is the user's.
    keep(states_);
    return true;
  }

 private:
  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(index_);
    out.element(states_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    index_ = in.count(INT64_MAX);
    Element states;
    in.element(states);
    if (states.size() != states_.size())
      throw NotFoundError("[ScanDataset] the saved state has another number of tensors");
    states_ = std::move(states);
    keep(states_);
  }

  const FunctionCall function_;
  Element states_;
  int64_t index_ = 0;
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  const Spec& results = state.functions[0].spec();
  plan.elements(state, "the state", 1,
                Spec(results.begin(), results.begin() + static_cast<ptrdiff_t>(num_states(state))),
                false);
  plan.calls(state.functions[0], 1);
}

}  // namespace

extern const StageDef kScan;
const StageDef kScan = {.name = "Scan",
                        .num_operands = kZeroOrMore,
                        .num_functions = 1,
                        .infer = infer,
                        .iterate = make_iterator<ScanIterator>,
                        .plan = plan};

}  // namespace penstock::data
