// NestedInput: an iterator over a dataset that a function made of a source element: an input of
// FlatMap and Interleave.
#pragma once

#include <memory>

#include "data/stage_iterator.h"

namespace penstock::data {

// Throws TypeError unless the function gives a dataset; sets the spec to that of its elements.
void infer_nested(DatasetState& state);

class NestedInput {
 public:
  // `element` is number `index` of the source.
  NestedInput(Element element, int64_t index);

  // Calls the function and opens its dataset. Throws what they throw.
  void open(const FunctionCall& function, const Scope& scope);
  bool is_open() const { return iterator_ != nullptr; }
  // Pre: is_open().
  bool next(Element& element) { return iterator_->next(element); }
  StageIterator& iterator() { return *iterator_; }

  // The source element and, if it is open, the position. restore() calls the function again.
  void save(StateWriter& out) const;
  static std::unique_ptr<NestedInput> restore(StateReader& in, const FunctionCall& function,
                                              const Scope& scope);

 private:
  Element element_;
  int64_t index_;
  StageIteratorRef iterator_;
};

}  // namespace penstock::data
