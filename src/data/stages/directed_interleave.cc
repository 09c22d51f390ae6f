// DirectedInterleave: the first input says from which of the others the next element comes.
#include <cmath>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

#include "data/items.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kStopOnEmpty };

bool merge(Spec& all, const Spec& other) {
  if (all.size() != other.size()) return false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].is_dataset() != other[i].is_dataset() || all[i].dtype != other[i].dtype)
      return false;
    all[i].shape = most_general(all[i].shape, other[i].shape);
  }
  return true;
}

void infer(DatasetState& state) {
  if (state.inputs.size() < 2)
    throw InvalidArgumentError("[DirectedInterleaveDataset] needs a selector and a dataset");
  const Spec& selector = state.input().spec();
  if (selector.size() != 1 || selector[0].dtype != DType::kInt64 ||
      !fits(selector[0].shape, Shape{}))
    throw InvalidArgumentError(
        cat("[DirectedInterleaveDataset] the selector gives int64 scalars, not ", selector));
  state.spec = state.input(1).spec();
  for (size_t i = 2; i < state.inputs.size(); ++i) {
    if (!merge(state.spec, state.input(i).spec()))
      throw TypeError(
          cat("[DirectedInterleaveDataset] the datasets must have compatible elements, but have ",
              state.input(1).spec(), " and ", state.input(i).spec()));
  }
}

int64_t cardinality(const DatasetState& state) {
  for (size_t i = 1; i < state.inputs.size(); ++i) {
    if (state.input(i).cardinality() == kInfinite) return kInfinite;
  }
  return kUnknown;
}

// Whether the selector can give that number. Weights that do not change tell.
bool is_possible(const DatasetState& selector, size_t number) {
  if (selector.stage->name != "Weighted") return true;
  const Tensor& logits = selector.operands[0];
  return static_cast<int64_t>(number) < logits.num_elements() &&
         std::isfinite(logits.number_at(static_cast<int64_t>(number)));
}

class DirectedInterleaveIterator final : public NamedIterator {
 public:
  DirectedInterleaveIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope), selector_(iterate(state_->input(), scope)) {
    for (size_t i = 1; i < state_->inputs.size(); ++i) {
      inputs_.push_back(iterate(state_->input(i), scope));
      if (is_possible(*state_->input().state(), i - 1)) ++num_possible_;
    }
  }

  bool next(Element& element) override {
    while (selector_ != nullptr) {
      scope_.step();
      if (!selector_->next(element)) break;
      const auto number = element[0].tensor.item<int64_t>();
      if (number < 0 || number >= static_cast<int64_t>(inputs_.size()))
        throw InvalidArgumentError(cat("[DirectedInterleaveDataset] Selector index out of range: ",
                                       number, " >= ", inputs_.size()));
      StageIteratorRef& input = inputs_[static_cast<size_t>(number)];
      if (input == nullptr) continue;
      if (input->next(element)) return true;
      if (state_->settings[kStopOnEmpty] != 0) break;
      input.reset();
      if (++num_ended_ == num_possible_) break;
    }
    selector_.reset();
    element.clear();
    return false;
  }

 private:
  void save_own(StateWriter& out) override {
    out.number(selector_ == nullptr);
    if (selector_ == nullptr) return;
    selector_->save(out);
    for (const StageIteratorRef& input : inputs_) {
      out.number(input == nullptr);
      if (input != nullptr) input->save(out);
    }
  }
  void restore_own(StateReader& in) override {
    if (in.count(1) != 0) {
      selector_.reset();
      return;
    }
    selector_->restore(in);
    for (StageIteratorRef& input : inputs_) {
      if (in.count(1) != 0) {
        input.reset();
        ++num_ended_;
      } else {
        input->restore(in);
      }
    }
  }

  StageIteratorRef selector_;             // null at the end
  std::vector<StageIteratorRef> inputs_;  // null where one has ended
  int64_t num_possible_ = 0;              // inputs that may be selected
  int64_t num_ended_ = 0;
};

// The largest where all inputs are of one known size.
Largest largest(const DatasetState& state) {
  Largest all = largest_of(state.input(1));
  for (size_t i = 1; i < state.inputs.size(); ++i) {
    const Largest each = largest_of(state.input(i));
    if (bytes_of(each.spec) == kUnknownBytes) return {state.spec, 0};
    if (bytes_of(each.spec) > bytes_of(all.spec)) all.spec = each.spec;
    all.leading = 0;
  }
  return all;
}

}  // namespace

extern const StageDef kDirectedInterleave;
constexpr Setting kDirectedInterleaveSettings[] = {{"stop_on_empty", 0}};
const StageDef kDirectedInterleave = {.name = "DirectedInterleave",
                                      .num_inputs = kAnyNumber,
                                      .settings = kDirectedInterleaveSettings,
                                      .infer = infer,
                                      .cardinality = cardinality,
                                      .iterate = make_iterator<DirectedInterleaveIterator>,
                                      .largest = largest};

}  // namespace penstock::data
