#include <mutex>
#include <unordered_set>
#include <utility>

#include <penstock/base/error.h>
#include <penstock/data/dataset.h>

#include "data/element.h"
#include "data/stage.h"

namespace penstock::data {

struct Iterator::State {
  explicit State(const Dataset& a_dataset);
  ~State();
  void close();

  const Dataset dataset;
  const std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();
  std::mutex mutex;         // one caller at a time
  StageIteratorRef stages;  // null once closed
  Element current;          // of range-for
  bool has_current = false;
};

namespace {

// The live iterators, so that all can be closed. Never destroyed: iterators may outlive main.
struct Registry {
  std::mutex mutex;
  std::unordered_set<Iterator::State*> states;
};
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

}  // namespace

Iterator::State::State(const Dataset& a_dataset) : dataset(a_dataset) {
  stages = iterate(dataset, Scope(cancellation));
  const std::lock_guard lock(registry().mutex);
  registry().states.insert(this);
}

Iterator::State::~State() {
  {
    const std::lock_guard lock(registry().mutex);
    registry().states.erase(this);
  }
  cancellation->cancel();
}

void Iterator::State::close() {
  cancellation->cancel();
  const std::lock_guard lock(mutex);
  stages.reset();
}

Iterator::Iterator(const Dataset& dataset)
    : state_(with_memory_errors("Iterator", [&] { return std::make_shared<State>(dataset); })) {}

bool Iterator::next(Element& element) {
  State& state = *state_;
  return with_memory_errors("IteratorGetNext", [&] {
    const std::lock_guard lock(state.mutex);
    if (state.stages == nullptr || !state.stages->next(element)) {
      element.clear();
      return false;
    }
    hand_over(element);
    return true;
  });
}

std::string Iterator::save() {
  return with_memory_errors("SerializeIterator", [&] {
    const std::lock_guard lock(state_->mutex);
    if (state_->stages == nullptr) throw FailedPreconditionError("the iterator is closed");
    StateWriter out;
    state_->stages->save(out);
    return out.take();
  });
}

void Iterator::restore(std::string_view bytes) {
  with_memory_errors("DeserializeIterator", [&] {
    const std::lock_guard lock(state_->mutex);
    // A new iterator: a failure leaves the old one as it was.
    StageIteratorRef fresh = iterate(state_->dataset, Scope(state_->cancellation));
    StateReader in(bytes);
    fresh->restore(in);
    in.expect_end();
    state_->stages = std::move(fresh);
  });
}

void Iterator::close() { state_->close(); }

const Element& Iterator::operator*() const { return state_->current; }
Iterator& Iterator::operator++() {
  state_->has_current = next(state_->current);
  return *this;
}
bool Iterator::operator==(std::nullptr_t) const { return !state_->has_current; }
Iterator Dataset::begin() const { return ++Iterator(*this); }

void close_all_iterators() {
  std::vector<std::shared_ptr<Cancellation>> all;
  {
    const std::lock_guard lock(registry().mutex);
    for (Iterator::State* state : registry().states) all.push_back(state->cancellation);
  }
  for (const auto& each : all) each->cancel();
}

}  // namespace penstock::data
