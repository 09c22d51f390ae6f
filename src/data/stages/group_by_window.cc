// GroupByWindow: elements with the same key are collected into windows, and a function makes a
// dataset of each window.
#include <map>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

#include "data/element.h"
#include "data/items.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kKey, kReduce, kWindowSize };

void check_whole_number(const DatasetState& state, size_t function, std::string_view name) {
  const Spec& result = state.functions[function].spec();
  if (result.size() != 1 || result[0].dtype != DType::kInt64 || !fits(result[0].shape, Shape{}))
    throw InvalidArgumentError(cat(
        "[GroupByWindowDataset] Invalid `", name, "`. `", name,
        "` must return a single `tf.int64` scalar tensor but its return type is ", result, "."));
}

void infer(DatasetState& state) {
  check_whole_number(state, kKey, "key_func");
  check_whole_number(state, kWindowSize, "window_size_func");
  const Spec& result = state.functions[kReduce].spec();
  if (result.size() != 1 || !result[0].is_dataset())
    throw TypeError(
        cat("Invalid `reduce_func`. `reduce_func` must return a single "
            "`tf.data.Dataset` object but its return type is ",
            result, "."));
  state.spec = *result[0].dataset;
}

class GroupByWindowIterator final : public InputIterator {
 public:
  GroupByWindowIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope),
        key_(state_, kKey),
        reduce_(state_, kReduce),
        window_size_(state_, kWindowSize) {}

  bool next(Element& element) override {
    for (;;) {
      scope_.step();
      if (current_ != nullptr) {
        if (current_->next(element)) return true;
        current_ = nullptr;
        window_ = nullptr;
      } else if (has_ended_) {
        if (groups_.empty()) return false;
        const auto first = groups_.begin();
        const int64_t key = first->first;
        Elements rest = std::move(first->second.elements);
        groups_.erase(first);
        if (!rest.empty()) open(key, std::move(rest));
      } else {
        has_ended_ = !input_->next(element);
        if (!has_ended_) collect(element);
      }
    }
  }

 private:
  struct Group {
    int64_t size = 0;  // of a window
    Elements elements;
  };

  static int64_t number(const FunctionCall& function, std::span<const Component> arguments,
                        int64_t index) {
    Element results;
    function(arguments, index, results);
    return results[0].tensor.item<int64_t>();
  }

  void collect(Element& element) {
    const int64_t index = index_++;
    hold(element, 0);
    const int64_t key = number(key_, element, index);
    auto at = groups_.find(key);
    if (at == groups_.end()) {
      const Component argument{Tensor(key)};
      const int64_t size = number(window_size_, {&argument, 1}, index);
      if (size <= 0)
        throw InvalidArgumentError(cat(
            "[GroupByWindowDataset] Window size must be greater than zero, but got ", size, "."));
      at = groups_.emplace(key, Group{size, {}}).first;
    }
    Elements& elements = at->second.elements;
    elements.push_back(std::move(element));
    if (static_cast<int64_t>(elements.size()) == at->second.size)
      open(key, std::exchange(elements, {}));
  }

  void open(int64_t key, Elements elements) {
    current_key_ = key;
    window_ = std::make_shared<const Elements>(std::move(elements));
    const Component arguments[] = {Component(Tensor(key)),
                                   Component(stored(window_, state_->input().spec()).state())};
    Element results;
    try {
      reduce_(arguments, index_, results);
      current_ = iterate(Dataset(results[0].dataset), scope_);
    } catch (...) {
      window_ = nullptr;
      throw;
    }
  }

  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(index_);
    out.number(has_ended_);
    out.number(static_cast<int64_t>(groups_.size()));
    for (const auto& [key, group] : groups_) {
      out.number(key);
      out.number(group.size);
      save_elements(out, group.elements);
    }
    out.number(current_ != nullptr);
    if (current_ == nullptr) return;
    out.number(current_key_);
    save_elements(out, *window_);
    current_->save(out);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    index_ = in.count(INT64_MAX);
    has_ended_ = in.count(1) != 0;
    const int64_t count = in.count(INT64_MAX);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t key = in.number();
      Group& group = groups_[key];
      group.size = in.count(INT64_MAX);
      restore_elements(in, group.elements);
    }
    if (in.count(1) == 0) return;
    const int64_t key = in.number();
    Elements window;
    restore_elements(in, window);
    open(key, std::move(window));
    current_->restore(in);
  }

  const FunctionCall key_, reduce_, window_size_;
  std::map<int64_t, Group> groups_;  // at the end they go out in this order
  StageIteratorRef current_;         // over what the function made of `window_`; null: none
  ElementsRef window_;
  int64_t current_key_ = 0;
  int64_t index_ = 0;
  bool has_ended_ = false;
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  plan.elements(state, "windows", kUnknown, state.input().spec(), false);
  for (const ElementFunction& function : state.functions) plan.calls(function, 1);
}

int64_t cardinality(const DatasetState& state) {
  return state.input().cardinality() == kInfinite ? kInfinite : kUnknown;
}

}  // namespace

extern const StageDef kGroupByWindow;
const StageDef kGroupByWindow = {.name = "GroupByWindow",
                                 .num_functions = 3,
                                 .infer = infer,
                                 .cardinality = cardinality,
                                 .iterate = make_iterator<GroupByWindowIterator>,
                                 .plan = plan};

}  // namespace penstock::data
