// Window: consecutive elements as datasets of their own, one for each component.
#include <algorithm>
#include <deque>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/element.h"
#include "data/items.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kSize, kShift, kStride };
enum { kDropRemainder };

// The number of elements from a window's first to its last.
int64_t span_of(const DatasetState& state) {
  int64_t span;
  if (!checked_mul(state.number(kSize) - 1, state.number(kStride), &span) || span == INT64_MAX)
    return INT64_MAX;
  return span + 1;
}

void infer(DatasetState& state) {
  constexpr std::string_view kNames[] = {"size", "shift", "stride"};
  for (size_t i = 0; i < 3; ++i) {
    check_scalar(state, i, kNames[i]);
    if (is_known(state, i) && state.number(i) <= 0)
      throw InvalidArgumentError(
          cat("[WindowDataset] Window ", kNames[i], " must be greater than zero."));
  }
  state.spec.clear();
  for (const ComponentSpec& component : state.input().spec())
    state.spec.push_back({.shape = {}, .dataset = std::make_shared<const Spec>(Spec{component})});
}

int64_t cardinality(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), shift = state.number(kShift);
  if (input < 0) return input;
  if (state.settings[kDropRemainder] == 0) return input / shift + (input % shift != 0);
  const int64_t span = span_of(state);
  return input < span ? 0 : (input - span) / shift + 1;
}

class WindowIterator final : public InputIterator {
 public:
  WindowIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope),
        shift_(state_->number(kShift)),
        stride_(static_cast<size_t>(state_->number(kStride))),
        span_(static_cast<uint64_t>(span_of(*state_))) {}

  bool next(Element& element) override {
    fill();
    if (items_.empty() || (items_.size() < span_ && state_->settings[kDropRemainder] != 0)) {
      items_.clear();
      return false;
    }
    auto elements = std::make_shared<Elements>();
    std::exception_ptr error;
    for (size_t i = 0; i < items_.size() && error == nullptr; i += stride_) {
      error = items_[i].error;
      if (error == nullptr) elements->push_back(items_[i].element);
    }
    move_on();
    if (error != nullptr) std::rethrow_exception(error);
    element.clear();
    for (size_t i = 0; i < state_->spec.size(); ++i)
      element.push_back(
          Component(stored(elements, *state_->spec[i].dataset, static_cast<int64_t>(i)).state()));
    return true;
  }

 private:
  void fill() {
    while (items_.size() < span_ && !has_ended_) {
      scope_.step();
      Item item;
      has_ended_ = !pull(*input_, item);
      if (has_ended_) break;
      hold(item.element, 0);
      items_.push_back(std::move(item));
    }
  }

  // Drops the elements up to the next window's.
  void move_on() {
    const auto stored = static_cast<int64_t>(items_.size());
    items_.erase(items_.begin(), items_.begin() + std::min(shift_, stored));
    Item skipped;
    for (int64_t i = stored; i < shift_ && !has_ended_; ++i) {
      scope_.step();
      has_ended_ = !pull(*input_, skipped);
    }
  }

  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(has_ended_);
    out.number(static_cast<int64_t>(items_.size()));
    for (const Item& item : items_) save_item(out, item);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    has_ended_ = in.count(1) != 0;
    const int64_t count = in.count(INT32_MAX);
    for (int64_t i = 0; i < count; ++i) restore_item(in, items_.emplace_back());
  }

  const int64_t shift_;
  const size_t stride_;
  const uint64_t span_;
  std::deque<Item> items_;  // from the next window's first element on
  bool has_ended_ = false;
};

void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality(), span = span_of(state);
  plan.elements(state, "a window", input >= 0 ? std::min(input, span) : span, state.input().spec(),
                false);
}

}  // namespace

extern const StageDef kWindow;
constexpr Setting kWindowSettings[] = {{"drop_remainder", 0}};
const StageDef kWindow = {.name = "Window",
                          .num_operands = 3,
                          .settings = kWindowSettings,
                          .infer = infer,
                          .cardinality = cardinality,
                          .iterate = make_iterator<WindowIterator>,
                          .plan = plan};

}  // namespace penstock::data
