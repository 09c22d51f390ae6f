// Parts that iterators of stages are built from.
#pragma once

#include <memory>
#include <utility>

#include "data/stage.h"

namespace penstock::data {

using StateRef = std::shared_ptr<const DatasetState>;

// StageDef::iterate for an iterator that is made of the state and the scope.
template <typename T>
StageIteratorRef make_iterator(StateRef state, const Scope& scope) {
  return std::make_unique<T>(std::move(state), scope);
}

// An iterator whose position is its stage's name and what save_own() adds.
class NamedIterator : public StageIterator {
 public:
  NamedIterator(StateRef state, const Scope& scope) : state_(std::move(state)), scope_(scope) {}
  void save(StateWriter& out) final;
  void restore(StateReader& in) final;

 protected:
  virtual void save_own(StateWriter& out) = 0;
  virtual void restore_own(StateReader& in) = 0;

  const StateRef state_;
  Scope scope_;
};

// An iterator over one input, whose position comes before its own.
class InputIterator : public NamedIterator {
 public:
  InputIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope), input_(iterate(state_->input(), scope)) {}

 protected:
  void save_own(StateWriter& out) override { input_->save(out); }
  void restore_own(StateReader& in) override { input_->restore(in); }

  StageIteratorRef input_;
};

// The same, which also counts elements of the input: user functions are told the number.
class IndexedIterator : public InputIterator {
 public:
  using InputIterator::InputIterator;

 protected:
  void save_own(StateWriter& out) override;
  void restore_own(StateReader& in) override;

  int64_t index_ = 0;  // of the next element
};

// StageDef::infer of a stage whose function is a predicate and whose elements are its input's. Throws
// InvalidArgumentError unless the function gives one bool.
void infer_predicate(DatasetState& state);

// A user function as one iterator calls it: random streams of its own, and errors that say where.
class FunctionCall {
 public:
  FunctionCall(const StateRef& state, size_t function = 0);
  // Replaces `results`. `index` is the number of the element, for messages.
  void operator()(std::span<const Component> arguments, int64_t index, Element& results) const;
  // The same for a predicate. Throws InvalidArgumentError unless the result is a bool scalar.
  bool test(std::span<const Component> arguments, int64_t index) const;

 private:
  const StateRef state_;
  const size_t number_;
  const ElementFunction function_;
};

}  // namespace penstock::data
