#include "data/stage_iterator.h"

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>

namespace penstock::data {

void NamedIterator::save(StateWriter& out) {
  out.text(state_->stage->name);
  save_own(out);
}

void NamedIterator::restore(StateReader& in) {
  in.expect(state_->stage->name);
  restore_own(in);
}

void IndexedIterator::save_own(StateWriter& out) {
  InputIterator::save_own(out);
  out.number(index_);
}

void IndexedIterator::restore_own(StateReader& in) {
  InputIterator::restore_own(in);
  index_ = in.count(INT64_MAX);
}

void infer_predicate(DatasetState& state) {
  const Spec& result = state.functions[0].spec();
  if (result.size() != 1 || result[0].dtype != DType::kBool || !fits(result[0].shape, Shape{}))
    throw InvalidArgumentError(cat("[", state.stage->name,
                                   "Dataset] `predicate` must return a bool scalar, not ", result));
  state.spec = state.input().spec();
}

FunctionCall::FunctionCall(const StateRef& state, size_t function)
    : state_(state), number_(function), function_(state->functions[function].with_own_draws()) {}

void FunctionCall::operator()(std::span<const Component> arguments, int64_t index,
                              Element& results) const {
  try {
    function_.call(arguments, state_->captured(number_), results);
  } catch (const Error& error) {
    std::string where = cat("\n\t[[element ", index, " of ", state_->stage->name, "Dataset");
    if (state_->line > 0) where += cat(", ", state_->file, ":", state_->line);
    throw_error(error.code(), cat(error.what(), where, "]]"));
  }
}

bool FunctionCall::test(std::span<const Component> arguments, int64_t index) const {
  Element results;
  (*this)(arguments, index, results);
  return results[0].tensor.item<bool>();
}

}  // namespace penstock::data
