// Zip: elements made of one element of each input.
#include <algorithm>

#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

void infer(DatasetState& state) {
  state.spec.clear();
  for (const Dataset& input : state.inputs)
    state.spec.insert(state.spec.end(), input.spec().begin(), input.spec().end());
}

// From here on a count is as good as infinite: it is that of all numbers from some number on.
constexpr int64_t kNumbers = INT64_MAX / 2;

// The least known one; infinite only if all are.
int64_t cardinality(const DatasetState& state) {
  int64_t least = kInfinite;
  for (const Dataset& input : state.inputs) {
    const int64_t count = input.cardinality();
    if (count == kUnknown) return kUnknown;
    // The numbers of enumerate() end with the largest: they do not count.
    if (count != kInfinite && count < kNumbers)
      least = least == kInfinite ? count : std::min(least, count);
  }
  return least;
}

class ZipIterator final : public NamedIterator {
 public:
  ZipIterator(StateRef state, const Scope& scope) : NamedIterator(std::move(state), scope) {
    for (const Dataset& input : state_->inputs) inputs_.push_back(iterate(input, scope));
  }

  // All inputs are asked, even if one has ended: the others lose an element, as in TensorFlow.
  bool next(Element& element) override {
    Element all, part;
    bool has_ended = false;
    for (const StageIteratorRef& input : inputs_) {
      if (!input->next(part)) has_ended = true;
      if (has_ended) continue;
      for (Component& component : part) all.push_back(std::move(component));
    }
    element = std::move(all);
    return !has_ended;
  }

 private:
  void save_own(StateWriter& out) override {
    for (const StageIteratorRef& input : inputs_) input->save(out);
  }
  void restore_own(StateReader& in) override {
    for (const StageIteratorRef& input : inputs_) input->restore(in);
  }

  std::vector<StageIteratorRef> inputs_;
};

}  // namespace

extern const StageDef kZip;
const StageDef kZip = {.name = "Zip",
                       .num_inputs = kAnyNumber,
                       .infer = infer,
                       .cardinality = cardinality,
                       .iterate = make_iterator<ZipIterator>};

}  // namespace penstock::data
