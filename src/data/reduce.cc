#include <penstock/data/reduce.h>

#include <utility>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock::data {
namespace {

void check(const Element& state, const ElementFunction& function) {
  const Spec& results = function.spec();
  if (results.size() != state.size())
    throw InvalidArgumentError(
        cat("[ReduceDataset] The number of components of the initial state and the reduce function "
            "output does not match. (initial_state=",
            static_cast<int64_t>(state.size()), ", output=", static_cast<int64_t>(results.size()),
            ")."));
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i].dataset == nullptr && results[i].dtype != state[i].tensor.dtype())
      throw TypeError(
          cat("The element types for the new state must match the initial state. "
              "Expected ",
              state[i].tensor.dtype(), " but got ", results[i].dtype, "."));
  }
}

}  // namespace

Element reduce(const Dataset& dataset, Element state, const ElementFunction& function) {
  return with_memory_errors("ReduceDataset", [&] {
    check(state, function);
    const ElementFunction call = function.with_own_draws();
    Iterator iterator(dataset);
    Element element;
    for (int64_t index = 0; iterator.next(element); ++index) {
      Element arguments = std::move(state);
      for (Component& component : element) arguments.push_back(std::move(component));
      try {
        call.call(arguments, call.captures(), state);
      } catch (const Error& error) {
        throw_error(error.code(),
                    cat(error.what(), "\n\t[[element ", index, " of ReduceDataset]]"));
      }
    }
    return std::move(state);
  });
}

Element single_element(const Dataset& dataset) {
  Iterator iterator(dataset);
  Element element, second;
  if (!iterator.next(element))
    throw InvalidArgumentError("[DatasetToSingleElement] Dataset was empty.");
  if (iterator.next(second))
    throw InvalidArgumentError("[DatasetToSingleElement] Dataset had more than one element.");
  return element;
}

}  // namespace penstock::data
