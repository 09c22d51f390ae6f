#include "data/nested.h"

#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/element.h"

namespace penstock::data {

void infer_nested(DatasetState& state) {
  const Spec& result = state.functions[0].spec();
  if (result.size() != 1 || !result[0].is_dataset())
    throw TypeError(
        cat("The `map_func` argument must return a `Dataset` object. Got ", result, "."));
  state.spec = *result[0].dataset;
}

NestedInput::NestedInput(Element element, int64_t index)
    : element_(std::move(element)), index_(index) {
  hold(element_, 0);
}

void NestedInput::open(const FunctionCall& function, const Scope& scope) {
  Element results;
  function(element_, index_, results);
  iterator_ = iterate(Dataset(results[0].dataset), scope);
}

void NestedInput::save(StateWriter& out) const {
  out.element(element_);
  out.number(index_);
  out.number(is_open());
  if (is_open()) iterator_->save(out);
}

std::unique_ptr<NestedInput> NestedInput::restore(StateReader& in, const FunctionCall& function,
                                                  const Scope& scope) {
  Element element;
  in.element(element);
  const int64_t index = in.count(INT64_MAX);
  auto input = std::make_unique<NestedInput>(std::move(element), index);
  if (in.count(1) != 0) {
    input->open(function, scope);
    input->iterator_->restore(in);
  }
  return input;
}

}  // namespace penstock::data
