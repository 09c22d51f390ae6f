#include "data/stage_iterator.h"

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock::data {

void NamedIterator::save(StateWriter& out) {
  out.text(state_->stage->name);
  save_own(out);
}

void NamedIterator::restore(StateReader& in) {
  in.expect(state_->stage->name);
  restore_own(in);
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
